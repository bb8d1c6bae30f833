// Guidelines are plain text with three marks: "# " for a heading, "- " for a list, an empty line between paragraphs.
// Nodes are built one by one and filled with textContent, so nothing in the text can become markup.

function element(name, text) {
  const node = document.createElement(name);
  node.textContent = text;
  return node;
}

export function showProse(target, text) {
  target.replaceChildren();
  for (const block of text.replaceAll("\r\n", "\n").split(/\n\s*\n/)) {
    let list = null;
    let paragraph = null;
    for (const line of block.split("\n").filter((part) => part.trim())) {
      const heading = /^#{1,3}\s+(.*)/.exec(line);
      const bullet = /^\s*[-*]\s+(.*)/.exec(line);
      if (heading) {
        target.append(element("h3", heading[1]));
        list = paragraph = null;
      } else if (bullet) {
        if (!list) target.append((list = document.createElement("ul")));
        list.append(element("li", bullet[1]));
        paragraph = null;
      } else if (paragraph) {
        paragraph.append("\n", line);
      } else {
        target.append((paragraph = element("p", line)));
        list = null;
      }
    }
  }
}
