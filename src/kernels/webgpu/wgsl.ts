// The shader files under shaders/ by name. A kernel's body is the file of its contract name; what it shares with others it names in
// its first line, `//! with <file> <file>`, and is given in front of it.

const TEXTS = new Map(
  Object.entries(
    import.meta.glob<string>('../../../shaders/*/*.wgsl', { query: '?raw', import: 'default', eager: true }),
  ).map(([path, text]) => [path.slice(path.lastIndexOf('/') + 1, -'.wgsl'.length), text]),
);

/** Throws where there is no such file: at the first import, so that no kernel can be without. */
export function wgsl(name: string): string {
  const text = TEXTS.get(name);
  if (text === undefined) throw new Error(`No file shaders/*/${name}.wgsl.`);
  const shared = /^\/\/! with ([\w ]+)\n/.exec(text);
  return shared ? [...shared[1].split(' ').map(wgsl), text].join('\n') : text;
}
