// The annotator's own page: set a goal, see how far it is.

import { endGoal, goalText, readGoal, setGoal } from "./goal.js";
import { tell } from "./language.js";

const $ = (id) => document.getElementById(id);
const card = $("goal-card");
const { owner } = card.dataset;
const total = Number(card.dataset.total);

function draw() {
  const text = goalText(owner, total);
  $("goal-now").textContent = text || tell("own.goal_none");
  $("goal-end").hidden = !text;
  $("goal-size").value = readGoal(owner)?.size ?? 50;
}

$("goal-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setGoal(owner, Number($("goal-size").value), total);
  draw();
});
$("goal-end").addEventListener("click", () => {
  endGoal(owner);
  draw();
});
card.hidden = false;
draw();
