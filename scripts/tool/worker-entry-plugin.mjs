// Vite plugin for workers' builds: it ensures that no chunk imports a worker's entry. A bundler tends to leave code that several chunks share
// in the entry's file and to let them import it from there. But WebKit runs a worker's entry again when a chunk imports it, with a second set
// of module state, so that the worker that answers is not the one that was opened. If the entry must keep its exports (none), the bundler puts
// shared code into a chunk of its own.

/** Keeps the entry's exports, and refuses a build in which a chunk still imports an entry. */
export function workerEntryPlugin() {
  return {
    name: 'worker-entry',
    apply: 'build',
    // Vite overrides this option of the configuration, but a plugin comes after that.
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
