// Vite plugin that writes licences.html into the build, from the list that Vite's `build.license` makes of the bundles. That list leaves out
// workers, which are builds of their own, so their modules are bundled once more here, as entries, only for their list.
import { build } from 'vite';
import { licencePage, shipped } from './licences.mjs';

const LIST = 'licences.json';
export const PAGE = 'licences.html';

/** `workers`: paths of their entries, below the root. */
export function licencesPlugin({ workers }) {
  let root;
  return {
    name: 'licences',
    apply: 'build',
    config: () => ({ build: { license: { fileName: LIST } } }),
    configResolved(config) {
      root = config.root;
    },
    generateBundle: {
      // The handler must run after Vite has made its list.
      order: 'post',
      async handler(_, bundle) {
        const ofPage = bundle[LIST];
        if (!ofPage) throw new Error('Vite made no list of licences (build.license): the licence page cannot be made.');
        delete bundle[LIST];
        const lists = [JSON.parse(String(ofPage.source)), await licencesOf(root, workers)];
        this.emitFile({ type: 'asset', fileName: PAGE, source: licencePage(shipped(lists.flat())) });
      },
    },
  };
}

async function licencesOf(root, entries) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      license: { fileName: LIST },
      rolldownOptions: { input: [...entries] },
    },
  });
  return JSON.parse(String(output.find(({ fileName }) => fileName === LIST).source));
}
