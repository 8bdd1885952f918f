// A button that saves a text, which is made when the button is pressed.
import { Button } from './Button.tsx';

/** Media types by file name extension. */
const TYPES = { csv: 'text/csv', json: 'application/json', md: 'text/markdown', svg: 'image/svg+xml' };

interface DownloadButtonProps {
  label: string;
  file: `${string}.${keyof typeof TYPES}`;
  text: () => string | Promise<string>;
}

export function DownloadButton({ label, file, text }: DownloadButtonProps) {
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1) as keyof typeof TYPES];
  return (
    <Button
      icon="download"
      label={label}
      title={`Download ${file}`}
      onClick={async () => saveFile(file, new Blob([await text()], { type }))}
    />
  );
}

/** Hands a blob to the browser's download, and revokes its URL once the browser has it. */
export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
