// Vite, for the builds of workers: nothing may import a worker's entry. A bundler likes to leave what several chunks share in the
// entry's own file, and lets those chunks import it from there; but WebKit runs a worker's entry once more when a chunk imports it,
// with a second set of everything, so that the worker that answers is not the one that was opened. Asked to keep the entry's
// exports as they are (none), the bundler puts what is shared into a chunk beside it.

/** Also the check: a build in which an entry is imported all the same is refused. */
export function workerEntryPlugin() {
  return {
    name: 'worker-entry',
    apply: 'build',
    // Vite sets this option itself, after a configuration's own: a plugin comes later.
    options: (options) => ({ ...options, preserveEntrySignatures: 'strict' }),
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      for (const { fileName } of chunks.filter(({ isEntry }) => isEntry)) {
        const by = chunks.filter((chunk) => [...chunk.imports, ...chunk.dynamicImports].includes(fileName));
        if (by.length)
          this.error(`${fileName} is a worker’s entry, and ${by.map((chunk) => chunk.fileName).join(', ')} import it.`);
      }
    },
  };
}
