// Saves a text that is made when the button is pressed.

import { Button } from './Button.tsx';

interface DownloadButtonProps {
  label: string;
  file: string;
  type: string;
  text: () => string | Promise<string>;
}

export function DownloadButton({ label, file, type, text }: DownloadButtonProps) {
  return (
    <Button
      icon="download"
      label={label}
      title={`Download ${file}`}
      onClick={async () => saveFile(file, new Blob([await text()], { type }))}
    />
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
