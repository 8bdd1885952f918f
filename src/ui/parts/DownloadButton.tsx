// Saves a text that is made when the button is pressed.

import { Icon } from './Icon.tsx';

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

// Hands a blob to the browser's own download, and forgets its address once the browser has it.

export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
