// A drawn chart as a standalone image: the SVG on the page, with the page's colours written out, below a title and above the legend. The
// PNG is rendered from that SVG at twice its size.
import type { LegendItem } from '../../store/charts/data.ts';

const SVG = 'http://www.w3.org/2000/svg';
const TITLE = 26;
const LINE = 15;
const ROW = 20;
const PAD = 12;

export interface Caption {
  title: string;
  about: string;
  /** Describes the axis, and how the lines were smoothed. */
  note: string;
}

export type PictureEntry = Pick<LegendItem, 'id' | 'label' | 'n'>;

export function chartSvg(figure: HTMLElement, caption: Caption, legend: readonly PictureEntry[]): string {
  const drawn = figure.querySelector<SVGSVGElement>('svg.recharts-surface, svg.picture');
  if (!drawn) throw new Error('The chart is not drawn yet.');
  const { width, height } = drawn.getBoundingClientRect();
  const rows = layOutLegend(figure, legend, width);
  const about = wrapLines(caption.about, (width - 2 * PAD) / 5.8);
  const head = TITLE + about.length * LINE + 8;
  const total = head + height + rows.height + 24;
  const root = svgElement('svg', { xmlns: SVG, width, height: total, viewBox: `0 0 ${width} ${total}` });
  root.setAttribute('font-family', 'Inter, Helvetica, Arial, sans-serif');
  root.append(
    svgElement('rect', { width, height: total, fill: 'var(--surface)' }),
    text(caption.title, { x: PAD, y: 20, 'font-size': 14, 'font-weight': 600, fill: 'var(--ink)' }),
    ...about.map((line, i) => text(line, { x: PAD, y: TITLE + 11 + i * LINE, 'font-size': 11, fill: 'var(--ink-2)' })),
  );
  const body = drawn.cloneNode(true) as SVGSVGElement;
  // The cursor and attributes for focus and roles do not belong in an image.
  for (const own of body.querySelectorAll('.recharts-tooltip-cursor, title, desc')) own.remove();
  for (const name of ['style', 'class', 'tabindex', 'role']) body.removeAttribute(name);
  body.setAttribute('y', String(head));
  body.setAttribute('width', String(width));
  body.setAttribute('height', String(height));
  root.append(body);
  for (const { x, y, swatch, label } of rows.items) {
    const group = svgElement('g', { transform: `translate(${x} ${head + height + 8 + y})` });
    if (swatch) group.append(swatch);
    group.append(text(label, { x: 38, y: 10, 'font-size': 11, fill: 'var(--ink)' }));
    root.append(group);
  }
  root.append(text(caption.note, { x: PAD, y: total - 8, 'font-size': 10, fill: 'var(--ink-3)' }));
  return resolveColors(new XMLSerializer().serializeToString(root));
}

export async function chartPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no PNG.'))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

interface Row {
  x: number;
  y: number;
  swatch: Node | null;
  label: string;
}

/** The legend in lines that fit the width. Swatches are copied from the chart's gutter. */
function layOutLegend(
  figure: HTMLElement,
  legend: readonly PictureEntry[],
  width: number,
): { items: Row[]; height: number } {
  const items: Row[] = [];
  let x = PAD;
  let y = 0;
  for (const entry of legend) {
    const swatch = figure.querySelector(`[data-legend="${CSS.escape(entry.id)}"] svg`);
    if (!swatch) continue;
    const label = entry.n === undefined ? entry.label : `${entry.label} (n = ${entry.n})`;
    const needed = 38 + label.length * 6.2 + 16;
    if (x > PAD && x + needed > width) {
      x = PAD;
      y += ROW;
    }
    items.push({ x, y, swatch: swatch.cloneNode(true), label });
    x += needed;
  }
  return { items, height: y + ROW };
}

function svgElement(name: string, attributes: Record<string, string | number>): SVGElement {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== 'xmlns') node.setAttribute(key, String(value));
  return node;
}

function text(content: string, attributes: Record<string, string | number>): SVGElement {
  const node = svgElement('text', attributes);
  node.textContent = content;
  return node;
}

/** Lines of at most `most` characters, split between words. */
function wrapLines(content: string, most: number): string[] {
  const lines = [''];
  for (const word of content.split(' ')) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Replaces each `var(--name)` by its current colour, because a file outside the page has no custom properties. */
function resolveColors(svg: string): string {
  const probe = document.createElement('span');
  document.body.append(probe);
  try {
    return svg.replace(/var\((--[\w-]+)\)/g, (_, name: string) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    });
  } finally {
    probe.remove();
  }
}
