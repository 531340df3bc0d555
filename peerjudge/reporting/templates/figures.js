"use strict";
// Saves a figure out of the page, with its styles written into it, as it looks on white paper.
(() => {
  const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "font-family", "font-size", "font-weight", "text-anchor"];
  const SCALE = 3;
  const MARGIN = 12;

  function drawn(figure) {
    const copy = figure.cloneNode(true);
    const [from, to] = [figure, copy].map((root) => [root, ...root.querySelectorAll("*")]);
    const box = figure.viewBox.baseVal;
    const [width, height] = [box.width + 2 * MARGIN, box.height + 2 * MARGIN];
    document.documentElement.classList.add("light");
    const paper = getComputedStyle(figure).getPropertyValue("--page");
    to.forEach((node, at) => {
      const style = getComputedStyle(from[at]);
      KEPT.forEach((name) => node.setAttribute(name, style.getPropertyValue(name)));
      node.removeAttribute("class");
    });
    document.documentElement.classList.remove("light");
    const sheet = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    Object.entries({ x: -MARGIN, y: -MARGIN, width, height, fill: paper.trim() }).forEach(([name, value]) => sheet.setAttribute(name, value));
    copy.prepend(sheet);
    copy.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${width} ${height}`);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  }

  function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function save(id, kind) {
    const { text, width, height } = drawn(document.getElementById(`figure-${id}`));
    if (kind === "svg") {
      download(new Blob([text], { type: "image/svg+xml" }), `${id}.svg`);
      return;
    }
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: width * SCALE, height: height * SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(blob, `${id}.png`));
  }

  for (const button of document.querySelectorAll("[data-save]")) {
    button.parentElement.hidden = false;
    button.addEventListener("click", () => save(button.dataset.save, button.dataset.as));
  }
})();
