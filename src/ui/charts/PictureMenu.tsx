// The menu that saves a chart as PNG, as SVG, or as the CSV of exactly what is drawn.
import { type RefObject, useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { saveFile } from '../parts/DownloadButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Popover } from '../parts/Popover.tsx';
import { type Caption, chartPng, chartSvg, type PictureEntry } from './picture.ts';

interface PictureMenuProps {
  figure: RefObject<HTMLElement | null>;
  file: string;
  caption: Caption;
  /** Entries of the lines that are drawn. */
  legend: readonly PictureEntry[];
  csv: () => string;
}

export function PictureMenu({ figure, file, caption, legend, csv }: PictureMenuProps) {
  const [problem, setProblem] = useState<string | null>(null);

  async function save(kind: 'png' | 'svg' | 'csv'): Promise<void> {
    try {
      if (kind === 'csv') {
        saveFile(`${file}.csv`, new Blob([csv()], { type: 'text/csv' }));
        return;
      }
      const svg = chartSvg(figure.current!, caption, legend);
      const blob = kind === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await chartPng(svg);
      saveFile(`${file}.${kind}`, blob);
    } catch (error) {
      setProblem(
        `The chart could not be saved (${error instanceof Error ? error.message : error}). Try another format.`,
      );
    }
  }

  return (
    <Popover
      label={`Download ${caption.title}`}
      trigger={<Icon name="download" size={14} />}
      className="btn small icon quiet"
    >
      {(close) => (
        <div className="chart-menu">
          {(['png', 'svg', 'csv'] as const).map((kind) => (
            <Button
              label={kind.toUpperCase()}
              tone="quiet"
              key={kind}
              onClick={() => {
                close();
                void save(kind);
              }}
            />
          ))}
          {problem ? <p role="alert">{problem}</p> : null}
        </div>
      )}
    </Popover>
  );
}
