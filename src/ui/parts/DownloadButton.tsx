// Saves a text that is made when the button is pressed.

import { Icon } from './Icon.tsx';
import { saveFile } from './save-file.ts';

interface DownloadButtonProps {
  label: string;
  file: string;
  type: string;
  text: () => string | Promise<string>;
}

export function DownloadButton({ label, file, type, text }: DownloadButtonProps) {
  return (
    <button
      type="button"
      className="btn small"
      title={`Download ${file}`}
      onClick={async () => saveFile(file, new Blob([await text()], { type }))}
    >
      <Icon name="download" size={14} />
      {label}
    </button>
  );
}
