// Saves the drawing of a panel as a picture.
import type { RefObject } from 'react';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { pictureOf } from './picture.ts';
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
      type="image/svg+xml"
      text={() => (drawing.current ? pictureOf(drawing.current) : '')}
    />
  );
}
