// Makes the site's API pages with TypeDoc, from the types and comments of the sources; one page for each file that a program imports. They
// are written into the cache at every build of the site (docs/reference/api/[page].paths.mjs reads them there), and never committed.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { at } from './project.mjs';
import { API_PAGES } from './site-paths.mjs';

/**
 * The public files of each part: those that its README and the examples import, and those with the types of their arguments and results. A
 * page's name is `part/path`.
 */
export const APIS = [
  {
    part: 'engine',
    title: 'Engine',
    root: 'src',
    lead: 'The engine trains and samples dense Qwen3, Qwen2.5 and Llama decoders. How to use it by itself: [the engine](../../how-to/engine.md).',
    files: [
      ...['engine/decoder/engine.ts', 'engine/decoder/scored.ts', 'engine/types.ts', 'engine/config.ts'],
      ...['engine/adapters/wrapped.ts', 'engine/adapter-layout.ts', 'engine/language-model.ts'],
      ...['engine/memory/plan.ts', 'kernels/device.ts', 'kernels/cpu/device.ts', 'kernels/webgpu/device.ts'],
      ...['algorithms/adamw.ts', 'algorithms/advantages.ts', 'algorithms/grpo-loss.ts', 'algorithms/optimizer.ts'],
      ...['algorithms/extraction.ts', 'algorithms/projection.ts', 'algorithms/basis.ts', 'algorithms/gates.ts'],
      ...['rng/index.ts', 'text/codec.ts', 'storage/model-files.ts', 'storage/model-text.ts'],
      ...['storage/sources.ts', 'storage/sources.node.ts', 'storage/basis-file.ts', 'storage/safetensors.ts'],
    ],
  },
  {
    part: 'are',
    title: 'ARE',
    root: 'packages/are/src',
    lead: 'Agent environments after ARE and Gaia2, in TypeScript. What they do: [agent environments](../are.md).',
    files: [
      ...['environment.ts', 'tool.ts', 'app.ts', 'types.ts', 'clock.ts', 'value.ts', 'pending.ts', 'errors.ts'],
      ...['agents/play.ts', 'agents/run.ts', 'agents/types.ts', 'agents/remote.ts', 'agents/user-proxy.ts'],
      ...['agents/react/react.ts', 'agents/react/endpoint.ts', 'agents/replay.ts', 'agents/scripted.ts'],
      ...['agents/trace.ts', 'apps/registry.ts', 'apps/mcp/app.ts', 'apps/mcp/client.ts', 'chat-model.ts'],
      ...['apps/mcp/server.ts', 'apps/mcp/content.ts'],
      ...['generate/generate.ts', 'augment/levels.ts', 'augment/app-agents.ts', 'language/language.ts'],
      ...['scenario/import.ts', 'scenario/export.ts', 'scenario/schema.ts', 'scenario/missing-apps.ts'],
      ...['verifier/verifier.ts', 'verifier/judged-run.ts', 'verifier/soft.ts', 'verifier/engines.ts'],
      ...['verifier/answer-book.ts', 'verifier/explain.ts'],
    ],
  },
  {
    part: 'python-sandbox',
    title: 'Python sandbox',
    root: 'packages/python-sandbox/src',
    lead: 'Hostile Python in WebAssembly, in Node and in a page. What it promises: [reliability](../../explanation/reliability.md).',
    files: [
      ...['protocol.ts', 'pool.ts', 'port-pool.ts', 'node-pool.node.ts', 'browser-frame.ts', 'vm.ts'],
      ...['pyodide-pool.node.ts', 'pyodide-frame.ts', 'pyodide-limits.ts', 'imports.ts', 'memory-fs.ts'],
    ],
  },
];

/** A page's address. A dot of the file's name becomes a hyphen, since VitePress would read it as an extension. */
export const pageOf = (part, file) => `${part}/${file.replace(/\.ts$/, '').replaceAll('.', '-')}`;

/** Loads TypeDoc and its Markdown plugin from the docs' own packages. */
async function typedoc() {
  const from = createRequire(at('docs', 'package.json'));
  const { Application, LogLevel } = await import(pathToFileURL(from.resolve('typedoc')).href);
  return { Application, LogLevel, markdown: from.resolve('typedoc-plugin-markdown') };
}

/** Writes all pages; throws where TypeDoc reports an error. */
export async function buildApiPages() {
  const { Application, LogLevel, markdown } = await typedoc();
  rmSync(API_PAGES, { recursive: true, force: true });
  const pages = new Map(
    APIS.flatMap(({ part, root, files }) => files.map((file) => [at(root, file), pageOf(part, file)])),
  );
  const app = await Application.bootstrapWithPlugins({
    entryPoints: [...pages.keys()],
    tsconfig: at('tsconfig.json'),
    plugin: [markdown],
    out: API_PAGES,
    readme: 'none',
    name: 'APIs',
    router: 'module',
    // Types are checked by the lab's own stage, with another version of the compiler.
    skipErrorChecking: true,
    disableSources: true,
    disableGit: true,
    excludePrivate: true,
    excludeInternal: true,
    excludeExternals: true,
    validation: false,
    logLevel: 'Error',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    useCustomAnchors: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
  });
  const errors = [];
  app.logger.log = (message, level) => {
    if (level === LogLevel.Error) errors.push(message);
  };
  const entries = app.getEntryPoints() ?? [];
  for (const entry of entries) entry.displayName = pages.get(entry.sourceFile.fileName) ?? entry.displayName;
  const project = app.converter.convert(entries);
  if (project) await app.generateOutputs(project);
  if (errors.length > 0) throw new Error(`TypeDoc: ${errors.join('\n')}`);
  for (const { part, root, files } of APIS)
    for (const file of files) writeHeading(pageOf(part, file), `${root}/${file}`);
}

/** Sets a page's heading to the specifier by which a program imports the file. */
function writeHeading(page, path) {
  const file = join(API_PAGES, `${page}.md`);
  const text = readFileSync(file, 'utf8').replace(/^# .*\n/, '');
  const from = path.replace(/^packages\/([\w-]+)\/src\//, '@projected-grpo-lab/$1/');
  writeFileSync(file, `# \`${from}\`\n\n${text}`);
}

/** The page of a part: its description, and its files, each with the opening of its first comment. */
export function partPage({ part, title, lead, root, files }) {
  const lines = files.map((file) => `| [\`${file}\`](${pageOf(part, file)}.md) | ${opening(at(root, file))} |`);
  return [`# API: ${title}`, '', lead, '', '| File | What it is |', '| --- | --- |', ...lines, ''].join('\n');
}

/** Returns sentences of a file's first comment until they have 60 characters. */
function opening(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  const text = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ''));
  const sentences = text.join(' ').match(/.*?[.:](?=\s|$)\s*/g) ?? [];
  let summary = '';
  for (const sentence of sentences) if (summary.length < 60) summary += sentence;
  return summary.trim().replace(/:$/, '.').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** All pages as `{ params, content }`, the form that VitePress expects. */
export function apiPages() {
  const made = readdirSync(API_PAGES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.md') && entry.parentPath !== API_PAGES)
    .map((entry) => join(entry.parentPath, entry.name));
  const own = made.map((path) => ({
    params: { page: path.slice(API_PAGES.length + 1, -3).replaceAll('\\', '/') },
    content: readFileSync(path, 'utf8'),
  }));
  return [...APIS.map((api) => ({ params: { page: api.part }, content: partPage(api) })), ...own];
}
