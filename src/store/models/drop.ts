// Dropped or picked files as a model's folder: its name and the files below it. A folder inside the dropped one (such as a snapshot in a
// cache) is found by its config.json.

interface ModelFolder<F extends Blob> {
  name: string;
  /** `path` is relative to the folder, with forward slashes. */
  files: { path: string; file: F }[];
}

/** No model has more files. Probably a home folder was dropped by mistake. */
const MOST_FILES = 5000;

/** Whether single files belong to a model: its weights, or its config together with another of its files. */
export function isModelDrop(names: readonly string[]): boolean {
  if (names.some((name) => /^model(-\d+-of-\d+)?\.safetensors(\.index\.json)?$/.test(name))) return true;
  return names.includes('config.json') && names.some((name) => /^tokenizer|\.safetensors$/.test(name));
}

/** Files of a PEFT LoRA adapter. The reader refuses adapter_model.bin and suggests a remedy. */
const ADAPTER_FILES = ['adapter_config.json', 'adapter_model.safetensors', 'adapter_model.bin'];

/** Whether the files belong to an adapter and not to a model. */
export const isAdapterDrop = (names: readonly string[]): boolean =>
  !names.includes('config.json') && !isModelDrop(names) && names.some((name) => ADAPTER_FILES.includes(name));

/** The folder with config.json (or else with an adapter's config), nearest to the root. If there is none, the root itself. */
export function modelFolder<F extends Blob>(
  fallback: string,
  files: readonly { path: string; file: F }[],
): ModelFolder<F> {
  const rootsOf = (config: string) =>
    files
      .filter(({ path }) => path === config || path.endsWith(`/${config}`))
      .map(({ path }) => path.slice(0, path.length - config.length))
      .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  const [root = ''] = [...rootsOf('config.json'), ...rootsOf('adapter_config.json')];
  const name = root.split('/').at(-2) ?? fallback;
  const inside = files.filter(({ path }) => path.startsWith(root));
  return { name, files: inside.map(({ path, file }) => ({ path: path.slice(root.length), file })) };
}

/** The folder of files from `<input webkitdirectory>`, or of single files. */
export function pickedFolder(files: readonly File[]): ModelFolder<File> {
  const all = files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  const [folder = '', inside] = all[0]?.path.split('/') ?? [];
  const single = isAdapterDrop(all.map(({ path }) => path)) ? 'adapter' : 'model';
  return modelFolder(inside === undefined ? single : folder, all);
}

/** Reads a dropped folder recursively. Null if it contains more files than a model has. */
export async function droppedFolder(entry: FileSystemDirectoryEntry): Promise<ModelFolder<File> | null> {
  const files: { path: string; file: File }[] = [];
  const waiting: { path: string; entry: FileSystemDirectoryEntry }[] = [{ path: '', entry }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const reader = next.entry.createReader();
    for (;;) {
      // Browsers return a hundred entries at a time, and an empty list at the end.
      const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) break;
      for (const child of part) {
        const path = `${next.path}${child.name}`;
        if (child.isDirectory) waiting.push({ path: `${path}/`, entry: child as FileSystemDirectoryEntry });
        else files.push({ path, file: await fileOf(child as FileSystemFileEntry) });
        if (files.length > MOST_FILES) return null;
      }
    }
  }
  return modelFolder(entry.name, files);
}

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => {
    entry.file(resolve, reject);
  });
