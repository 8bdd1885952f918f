// A button that asks for files. The file input itself is hidden, because it cannot be styled. It is emptied after each choice so that the
// same file can be chosen twice.
import { useRef } from 'react';
import { Button } from './Button.tsx';

interface FileButtonProps {
  label: string;
  /** Accessible name of the file input. */
  what: string;
  /** File name endings, in the format of the `accept` attribute. */
  accept: string;
  multiple?: boolean;
  /** Called with at least one file. */
  onFiles: (files: File[]) => void;
}

export function FileButton({ label, what, accept, multiple = false, onFiles }: FileButtonProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept={accept}
        multiple={multiple}
        hidden
        aria-label={what}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
      <Button icon="upload" label={label} onClick={() => picker.current?.click()} />
    </>
  );
}
