// A button that saves a panel's drawing as an image.

import type { RefObject } from 'react';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { useAre } from './use-are.ts';

interface PictureButtonProps {
  what: 'timeline' | 'graph';
  drawing: RefObject<SVGSVGElement | null>;
}

export function PictureButton({ what, drawing }: PictureButtonProps) {
  const id = useAre((state) => state.scenario?.id ?? 'scenario');
  return (
    <DownloadButton
      label={what === 'timeline' ? 'Timeline as a picture' : 'Graph as a picture'}
      file={`${id.replace(/[^\w.-]+/g, '_').slice(0, 80)}.${what}.svg`}
      text={() => (drawing.current ? pictureOf(drawing.current) : '')}
    />
  );
}

/** Properties of shapes and text that style sheets set here. */
const LOOKS = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
];

/** The SVG as a standalone image, with computed styles as attributes, on the page's background. */
function pictureOf(drawn: SVGSVGElement): string {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll('*');
  drawn.querySelectorAll('*').forEach((element, at) => {
    const looks = getComputedStyle(element);
    for (const name of LOOKS) copies[at]!.setAttribute(name, looks.getPropertyValue(name));
    copies[at]!.removeAttribute('class');
  });
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const looks = { width: '100%', height: '100%', fill: groundOf(drawn) };
  for (const [name, value] of Object.entries(looks)) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** Background colour behind the element. */
function groundOf(element: Element): string {
  const { backgroundColor } = getComputedStyle(element);
  const isClear = backgroundColor === 'transparent' || backgroundColor === 'rgba(0, 0, 0, 0)';
  return isClear && element.parentElement ? groundOf(element.parentElement) : backgroundColor;
}
