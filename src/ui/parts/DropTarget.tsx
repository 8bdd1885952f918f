// Accepts files, or one folder, dropped anywhere on the page.
import { useEffect, useState } from 'react';

interface DropTargetProps {
  onFiles: (files: File[]) => void;
  onFolder: (folder: FileSystemDirectoryEntry) => void;
}

export function DropTarget({ onFiles, onFolder }: DropTargetProps) {
  const [over, setOver] = useState(false);

  useEffect(() => {
    // Enter and leave fire for every element on the way, so only their balance shows whether the file is over the page.
    let depth = 0;
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFile(event)) return;
      depth++;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFile(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const hover = (event: DragEvent) => {
      if (hasFile(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (!hasFile(event)) return;
      depth = 0;
      setOver(false);
      event.preventDefault();
      // Entries must be read now, because they are not available after this event.
      const folder = [...(event.dataTransfer?.items ?? [])]
        .map((item) => item.webkitGetAsEntry?.())
        .find((entry) => entry?.isDirectory);
      if (folder) onFolder(folder as FileSystemDirectoryEntry);
      else if (files.length > 0) onFiles(files);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', hover);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', hover);
      window.removeEventListener('drop', drop);
    };
  }, [onFiles, onFolder]);

  return over ? (
    <div className="drop-over" aria-hidden="true">
      <p>
        Drop a model’s or an adapter’s folder, a basis (.safetensors), an exported run (.zip), a log (.eval),
        <br />
        or pairs, a pool, problems, a data set, a sweep (.json, .jsonl)
      </p>
    </div>
  ) : null;
}
