// What somebody who looks at the page would complain of, as a list of texts.
(() => {
  const complaints = [];
  const name = element => {
    const id = element.id ? '#' + element.id : '';
    const kinds = (element.getAttribute('class') || '').trim().split(/\s+/).filter(Boolean).map(kind => '.' + kind).join('');
    return `${element.tagName.toLowerCase()}${id}${kinds} "${element.textContent.trim().replace(/\s+/g, ' ').slice(0, 50)}"`;
  };
  const hidden = element => element.checkVisibility() === false || element.closest('.unseen') !== null;

  // On a phone the contents are folded. A figure has one drawing, which takes the width that there is.
  if (window.innerWidth < 500) {
    for (const list of document.querySelectorAll('nav ol')) {
      if (list.checkVisibility()) complaints.push(`the contents are not folded: ${name(list)}`);
    }
  }
  const drawings = figure => [...figure.querySelectorAll('svg, img')].map(one => one.getBoundingClientRect()).filter(box => box.width > 0);
  document.querySelectorAll('details').forEach(details => { details.open = true; });
  for (const figure of document.querySelectorAll('figure')) {
    const boxes = drawings(figure);
    if (boxes.length > 1) complaints.push(`a figure is drawn more than once: ${name(figure)}`);
    if (boxes.length === 1 && boxes[0].width < 0.95 * figure.clientWidth) complaints.push(`narrower than its card: ${name(figure)}`);
  }

  // Too wide. What scrolls is declared as such, and the page is not.
  const root = document.documentElement;
  if (root.scrollWidth > window.innerWidth) complaints.push(`the page is wider than the window: ${root.scrollWidth}`);
  for (const element of document.body.querySelectorAll('*')) {
    if (!(element instanceof HTMLElement) || element.clientWidth === 0 || hidden(element)) continue;
    if (['auto', 'scroll'].includes(getComputedStyle(element).overflowX)) continue;
    if (element.scrollWidth > element.clientWidth + 1) {
      complaints.push(`overflows: ${name(element)}: ${element.scrollWidth} in ${element.clientWidth}`);
    }
  }

  // Missing pictures.
  for (const image of document.images) {
    if (!image.complete || image.naturalWidth === 0) complaints.push(`missing picture: ${name(image)}`);
  }
  for (const figure of document.querySelectorAll('figure')) {
    const box = drawings(figure)[0];
    if (!box || box.width < 100 || box.height < 100) complaints.push(`missing picture: ${name(figure)}`);
  }

  // Texts of a drawing that cover each other, or leave it.
  const apart = 1;
  for (const drawing of document.querySelectorAll('svg')) {
    const paper = drawing.getBoundingClientRect();
    const texts = [...drawing.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
    texts.forEach(([text, box], index) => {
      if (box.left < paper.left - apart || box.right > paper.right + apart || box.top < paper.top - apart || box.bottom > paper.bottom + apart) {
        complaints.push(`text is cut: ${name(text)} of ${drawing.id}`);
      }
      for (const [other, its] of texts.slice(0, index)) {
        const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
        const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        // Lines of text stand close: their boxes may touch, their letters do not.
        if (across > apart && down > 0.35 * Math.min(box.height, its.height)) {
          complaints.push(`texts overlap: ${name(text)} and ${name(other)} of ${drawing.id}`);
        }
      }
    });
  }

  // Two elements of one name: a link would lead to the wrong one.
  const names = new Set();
  for (const element of document.querySelectorAll('[id]')) {
    if (names.has(element.id)) complaints.push(`two elements are called ${element.id}`);
    names.add(element.id);
  }
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    if (!names.has(link.hash.slice(1))) complaints.push(`leads nowhere: ${name(link)}`);
  }
  if (!root.lang) complaints.push('the page does not say its language');

  // Text that hardly differs from what is behind it (WCAG 2.2, 1.4.3: a contrast of 4.5).
  const channels = colour => (colour.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const brightness = colour => {
    const [red, green, blue] = channels(colour).map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      const opaque = channels(colour)[3];
      if (opaque === undefined || opaque > 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = (one, other) => {
    const [low, high] = [brightness(one), brightness(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  for (const element of document.body.querySelectorAll('*')) {
    const says = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!says || hidden(element) || element.closest('style, script, desc, title')) continue;
    const drawing = element.closest('svg');
    const paper = drawing && drawing.querySelector('.arqway-paper');
    const ink = drawing ? getComputedStyle(element).fill : getComputedStyle(element).color;
    const ratio = contrast(ink, paper ? getComputedStyle(paper).fill : behind(element));
    if (ratio < 4.5) complaints.push(`contrast of ${ratio.toFixed(1)}: ${name(element)}`);
  }
  return complaints;
})()
