// The shader files under shaders/ by name. A kernel's body is the file of its contract name. Its first line may name shared files, `//! with <file>
// <file>`, whose text is put in front.

const TEXTS = new Map(
  Object.entries(
    import.meta.glob<string>('../../../shaders/*/*.wgsl', { query: '?raw', import: 'default', eager: true }),
  ).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1, -'.wgsl'.length), text]),
);

/** Throws if there is no such file. */
export function wgsl(name: string): string {
  const text = TEXTS.get(name);
  if (text === undefined) throw new Error(`No file shaders/*/${name}.wgsl.`);
  const shared = /^\/\/! with ([\w ]+)\n/.exec(text);
  return shared ? [...shared[1].split(' ').map(wgsl), text].join('\n') : text;
}
