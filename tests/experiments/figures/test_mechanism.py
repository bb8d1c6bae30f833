from oneof.experiments.figures.mechanism import CLASSES, QUERY, figure1


def test_every_label_is_shown_in_the_query_and_both_answers() -> None:
    figure = figure1()
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert all(texts.count(str(label)) == 3 for label in range(CLASSES))
    assert "yes" in texts
    assert "no" in texts
    assert len(QUERY) == 3


def test_the_three_corrections_differ_below_zero_only() -> None:
    plot = figure1().axes[-1]
    below = plot.lines[:3]
    assert [line.get_ydata()[0] for line in below] == [-1, 0, 1]
    assert all(line.get_ydata()[-1] == 0 for line in below)
