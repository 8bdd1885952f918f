// Tests dropped and picked folders with entries as a browser provides them: in portions, nested, or too many.
import { describe, expect, it } from 'vitest';
import { droppedFolder, isAdapterDrop, isModelDrop, modelFolder, pickedFolder } from './drop.ts';

const blob = (text: string) => new Blob([text]);
const names = ({ files }: { files: { path: string }[] }) => files.map(({ path }) => path);

interface Tree {
  [name: string]: string | Tree;
}

/** A directory entry that returns at most `part` children at a time, and an empty list at the end, as Chromium does with 100. */
function directory(name: string, tree: Tree, part = 2): FileSystemDirectoryEntry {
  const children = Object.entries(tree).map(([child, content]) =>
    typeof content === 'string'
      ? { name: child, isDirectory: false, file: (done: (file: Blob) => void) => done(blob(content)) }
      : directory(child, content, part),
  );
  const createReader = () => {
    let at = 0;
    return {
      readEntries(done: (entries: unknown[]) => void) {
        done(children.slice(at, at + part));
        at += part;
      },
    };
  };
  return { name, isDirectory: true, createReader } as unknown as FileSystemDirectoryEntry;
}

describe('a dropped model', () => {
  it('is distinguished from a basis, a run, pairs and a pool', () => {
    expect(isModelDrop(['config.json', 'tokenizer.json', 'weights.safetensors'])).toBe(true);
    expect(isModelDrop(['model.safetensors'])).toBe(true);
    expect(isModelDrop(['model-00001-of-00002.safetensors'])).toBe(true);
    for (const one of ['basis.safetensors', 'run.zip', 'pairs.json', 'pool.jsonl', 'config.json'])
      expect(isModelDrop([one]), one).toBe(false);
  });

  it('is read recursively, in however many portions the browser returns entries', async () => {
    const tree = {
      'config.json': '{}',
      'model.safetensors': 'w',
      'tokenizer.json': '{}',
      onnx: { 'a.onnx': 'x' },
      'z.txt': '',
    };
    const folder = await droppedFolder(directory('minimind', tree));
    expect(folder?.name).toBe('minimind');
    expect(names(folder!).sort()).toEqual([
      'config.json',
      'model.safetensors',
      'onnx/a.onnx',
      'tokenizer.json',
      'z.txt',
    ]);
    expect(await folder!.files.find(({ path }) => path === 'model.safetensors')!.file.text()).toBe('w');
  });

  it('is found inside what was dropped, and the nearest one is preferred', async () => {
    const tree = { snapshots: { abc: { 'config.json': '1', sub: { 'config.json': '2' } } }, 'readme.md': '' };
    const folder = await droppedFolder(directory('models--x', tree));
    expect(folder?.name).toBe('abc');
    expect(names(folder!)).toEqual(['config.json', 'sub/config.json']);
  });

  it('is distinguished from an adapter, whose folder is found by its own config', () => {
    const adapter = ['adapter_config.json', 'adapter_model.safetensors'];
    for (const names of [adapter, adapter.slice(1), ['adapter_model.bin'], [...adapter, 'README.md']]) {
      expect(isAdapterDrop(names), String(names)).toBe(true);
      expect(isModelDrop(names), String(names)).toBe(false);
    }
    for (const names of [[...adapter, 'config.json'], [...adapter, 'model.safetensors'], ['basis.safetensors']])
      expect(isAdapterDrop(names), String(names)).toBe(false);
    const inside = modelFolder('run', [
      { path: 'checkpoint-20/adapter_config.json', file: blob('{}') },
      { path: 'checkpoint-20/adapter_model.safetensors', file: blob('') },
      { path: 'notes.txt', file: blob('') },
    ]);
    expect([inside.name, names(inside)]).toEqual(['checkpoint-20', adapter]);
  });

  it('is not read further if thousands of files do not belong to a model', async () => {
    const many = Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`${i}.txt`, '']));
    expect(await droppedFolder(directory('home', many, 100))).toBeNull();
  });

  it('is a picked folder by its relative paths, or single files by their names', () => {
    const file = (path: string) =>
      Object.assign(new File([''], path.split('/').at(-1)!), { webkitRelativePath: path.includes('/') ? path : '' });
    expect(pickedFolder([file('m/config.json'), file('m/model.safetensors')])).toMatchObject({ name: 'm' });
    expect(pickedFolder([file('notes/a.txt'), file('notes/b/c.txt')])).toMatchObject({ name: 'notes' });
    const single = pickedFolder([file('config.json'), file('model.safetensors')]);
    expect(single.name).toBe('model');
    expect(names(single)).toEqual(['config.json', 'model.safetensors']);
    expect(modelFolder('none', [{ path: 'a/b.bin', file: blob('') }])).toMatchObject({ name: 'none' });
  });
});
