// `npm run new` writes a small working environment, kernel, question or arm with its test, and registers it. What it writes is a starting
// point that works and is meant to be changed. The templates are in new/; the functions below say where each goes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './project.mjs';
import { Complaint, say } from './terminal.mjs';

export const HELP = `npm run new -- environment NAME
npm run new -- arm NAME [--in projection|references|exit|characters]
npm run new -- question ID [--in agents|cat|characters|exit|instructions|prediction|study]
npm run new -- kernel NAME [--in linear|norm|rows]

Writes a small one that works, with its test, and registers it. Nothing that is there is overwritten.
  environment  src/environments/NAME (six files) and its line in the registry
  arm          an entry among its group's arms; its look follows
  question     research/series/SERIES/ID.ts with its test, and its place in the series; of the study in
               research/series/study/questions
  kernel       contract with its cases, reference kernel, shader`;

const SERIES = ['agents', 'cat', 'characters', 'exit', 'instructions', 'prediction', 'study'];
const STUDY = 'research/series/study/questions';

const TEMPLATES = join(import.meta.dirname, 'new');
const template = (path) => readFileSync(join(TEMPLATES, path), 'utf8');
const filled = (text, words) =>
  Object.entries(words).reduce((all, [key, word]) => all.replaceAll(`__${key}__`, word), text);
const pascal = (name) => name.replace(/(^|[-_])(\w)/g, (_, __, letter) => letter.toUpperCase());
const camel = (name) => pascal(name).replace(/^./, (letter) => letter.toLowerCase());

/** Collects the files to write (path to text), so that nothing is written if something is wrong. */
class Plan {
  files = new Map();
  next = [];
  constructor(root) {
    this.root = root;
  }

  create(path, text) {
    if (existsSync(join(this.root, path))) throw new Complaint(`${path} is there already. Choose another name.`);
    this.files.set(path, text);
  }

  text(path) {
    return this.files.get(path) ?? readFileSync(join(this.root, path), 'utf8');
  }

  replace(path, pattern, by) {
    const text = this.text(path);
    if (!pattern.test(text)) throw new Complaint(`${path} has no ${pattern}.`);
    this.files.set(path, text.replace(pattern, by));
  }

  /** Puts `entry` at the end of the list that `opening` begins. */
  append(path, opening, entry) {
    const text = this.text(path);
    const from = text.indexOf(opening) + opening.length;
    if (from < opening.length) throw new Complaint(`${path} has no ${JSON.stringify(opening)}.`);
    let [at, depth] = [from, 1];
    for (; depth > 0 && at < text.length; at++) depth += { '[': 1, ']': -1 }[text[at]] ?? 0;
    const list = text.slice(from, at - 1).trimEnd();
    this.files.set(
      path,
      `${text.slice(0, from)}${list}${list.endsWith(',') ? ' ' : ', '}${entry}${text.slice(at - 1)}`,
    );
  }

  /** Puts `line` before the first `anchor` that follows `after`. */
  insert(path, anchor, line, after = '') {
    const text = this.text(path);
    const at = text.indexOf(anchor, text.indexOf(after) + after.length);
    if (!text.includes(after) || at < 0)
      throw new Complaint(`${path} has no ${JSON.stringify(anchor)}${after && ` behind ${JSON.stringify(after)}`}.`);
    this.files.set(path, text.slice(0, at) + line + text.slice(at));
  }

  write() {
    for (const [path, text] of this.files) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
  }
}

function mustBe(name, pattern, what) {
  if (!pattern.test(name ?? '')) throw new Complaint(`${JSON.stringify(name ?? '')} is no ${what}.`);
}

function chosen(where, choices) {
  const one = where ?? choices[0];
  if (!choices.includes(one)) throw new Complaint(`--in ${one}: give one of ${choices.join(', ')}.`);
  return one;
}

const KINDS = {
  environment(plan, name) {
    mustBe(name, /^[a-z][a-z0-9]{1,19}$/, 'name of an environment: 2 to 20 small letters and digits, a letter first');
    const words = {
      id: name,
      name,
      Name: pascal(name),
      NAME: name.toUpperCase(),
      Label: `${pascal(name)}: which of two is more`,
    };
    for (const file of ['task', 'data', 'reward', 'model', 'presentation'])
      plan.create(`src/environments/${name}/${file}.ts`, filled(template(`environment/${file}.ts.txt`), words));
    plan.create(`src/environments/${name}/${name}.test.ts`, filled(template('environment/test.ts.txt'), words));
    const registry = 'src/environments/registry.ts';
    const line = `export { ${words.NAME} } from './${name}/presentation.ts';\n`;
    const lines = plan.text(registry).split(/(?<=\n)/);
    const behind = lines.findIndex((one) => one.startsWith('export') && one > line);
    lines.splice(behind < 0 ? lines.length : behind, 0, line);
    plan.files.set(registry, lines.join(''));
    plan.next.push(
      `npm run lab -- pretrain --environment ${name}     # its model, public/models/tiny-${name}`,
      `npm run lab -- run --environment ${name} --preset smoke`,
      `npm run lab -- demo --environment ${name}         # the picture of its card`,
    );
  },

  arm(plan, name, where) {
    mustBe(name, /^[a-z][a-z0-9_]{1,19}$/, 'name of an arm: 2 to 20 small letters, digits and _, a letter first');
    const file = `src/experiments/config/arms/${chosen(where, ['references', 'projection', 'exit', 'characters'])}.ts`;
    for (const group of ['references', 'projection', 'exit', 'characters'])
      if (new RegExp(`^  '?${name}'?: `, 'm').test(plan.text(`src/experiments/config/arms/${group}.ts`)))
        throw new Complaint(`There is an arm ${name}. Choose another name.`);
    const entry = `  ${name}: plain('${name.replaceAll('_', ' ')}', 'Vanilla with gradients clipped at half the usual norm.', 'control', { normClip: 0.5 }),\n`;
    plan.insert(file, '} as const satisfies Record<string, Arm>;', entry);
    if (!/import \{[^}]*\bplain\b/.test(plan.text(file)))
      plan.files.set(
        file,
        plan
          .text(file)
          .replace(
            /import \{([^}]*)\} from '\.\/arm\.ts';/,
            (_, names) => `import {${names.trimEnd().replace(/,$/, '')}, plain } from './arm.ts';`,
          ),
      );
    plan.next.push('npx vitest run src/experiments/analysis/vanilla.test.ts   # what its table compares it with');
  },

  question(plan, id, where) {
    mustBe(
      id,
      /^[A-Z][0-9]{1,3}(-[a-z]+)?$/,
      'id of a question: a letter of its series and a number, as A7 or E4-again',
    );
    const series = chosen(where, SERIES);
    const { letters, docs } = seriesOf(plan, series);
    if (!letters.includes(id[0]))
      throw new Complaint(
        `${id} does not begin with a letter of ${series} (${letters.split('').join(' or ')}). Give --in SERIES, or another id.`,
      );
    const registrations = 'research/judge/registrations.ts';
    if (new RegExp(`^  '?${id}'?: `, 'm').test(plan.text(registrations)))
      throw new Complaint(`There is a question ${id} (${registrations}). Choose another id.`);
    const section = /^## (.+)$/m.exec(plan.text(docs))?.[1];
    if (!section) throw new Complaint(`${docs} has no heading.`);
    const [file, NAME] = [id.toLowerCase(), id.toUpperCase().replaceAll('-', '_')];
    const words = { id: file, ID: id, NAME, series, file, section };
    const isOfStudy = series === 'study';
    const folder = isOfStudy ? STUDY : `research/series/${series}`;
    const from = isOfStudy ? 'study-question' : 'question';
    plan.create(`${folder}/${file}.ts`, filled(template(`${from}.ts.txt`), words));
    plan.create(`${folder}/${file}.test.ts`, filled(template(`${from}.test.ts.txt`), words));
    const index = `${folder}/index.ts`;
    plan.insert(index, 'import', `import { ${NAME} } from './${file}.ts';\n`);
    if (isOfStudy) {
      mustBe(id, /^Q[0-9]+$/, 'id of a question of the study, as Q21');
      plan.insert(index, '};', `  ${file}: ${NAME},\n`, 'const BY_ID');
      const ids = /(QUESTION_IDS = \[)([^\]]*)(\] as const)/;
      plan.replace('research/series/study/types.ts', ids, (_, open, list, close) => {
        const all = [...list.matchAll(/Q(\d+)/g)].map(([, number]) => Number(number)).concat(Number(id.slice(1)));
        return `${open}\n${all
          .sort((a, b) => a - b)
          .map((number) => `  'Q${number}',\n`)
          .join('')}${close}`;
      });
    } else plan.append(index, 'readonly Question[] = [', NAME);
    plan.next.push(
      `Tell it in ${docs}, under “${section}” or a heading of its own (its field section).`,
      `Register its rule before its first row: ${registrations}`,
      'npm run research -- publish',
    );
  },

  kernel(plan, name, where) {
    mustBe(name, /^[a-z][a-z0-9]*(_[a-z0-9]+){0,3}$/, 'name of a kernel: small letters and digits, words joined by _');
    const family = chosen(where, ['linear', 'norm', 'rows']);
    const shader = `shaders/${family === 'linear' ? 'linalg' : family}/${name}.wgsl`;
    const contract = `src/kernels/contract/${family}.ts`;
    if (new RegExp(`^  ${name}: `, 'm').test(plan.text(contract)))
      throw new Complaint(`${contract} has a kernel ${name}.`);
    plan.insert(
      contract,
      '} as const;',
      `  /** y = factor · x. */\n  ${name}: flat({\n    buffers: [f('x'), f('y', 'w')],\n    params: { n: 'u32', factor: 'f32' },\n    extents: (p) => [p.n, p.n],\n    invocations: (p) => p.n,\n  }),\n`,
    );
    const reference = `src/kernels/cpu/${family}.ts`;
    plan.files.set(
      reference,
      `${plan.text(reference)}\nexport const ${camel(name)}: Reference<'${name}'> = ([x, y], { n, factor }) => {\n  for (let i = 0; i < n; i++) y[i] = factor * x[i];\n};\n`,
    );
    plan.create(shader, template('kernel.wgsl.txt'));
    plan.insert(
      `src/kernels/contract/${family}.cases.ts`,
      '  return cases;',
      `  for (const n of [1, 65, 300])\n    cases.push(make('${name}', [floats(r, n), floats(r, n)], { n, factor: -1.5 }));\n`,
      `function ${family}Cases`,
    );
    plan.next.push(
      'npx vitest run src/kernels/ops.test.ts src/kernels/cpu/references.test.ts src/kernels/webgpu',
      'npm run bench -- kernels',
    );
  },
};

function seriesOf(plan, id) {
  const text = plan.text('src/findings/series.ts');
  const own = text.slice(text.indexOf(`id: '${id}',`));
  return { letters: /letters: '(\w+)'/.exec(own)[1], docs: /docs: '([^']+)'/.exec(own)[1] };
}

/** Writes the files and returns their paths and the next steps. If it throws Complaint, nothing was written. */
export function make(args, root = ROOT) {
  const [kind, name, flag, where, ...rest] = args;
  if (!Object.hasOwn(KINDS, kind ?? ''))
    throw new Complaint(`Give one of ${Object.keys(KINDS).join(', ')}, and a name.\n\n${HELP}`);
  if (rest.length > 0 || (flag !== undefined && (flag !== '--in' || where === undefined)))
    throw new Complaint(`${[flag, where, ...rest].join(' ')} is not known here.\n\n${HELP}`);
  const plan = new Plan(root);
  KINDS[kind](plan, name, where);
  plan.write();
  return { paths: [...plan.files.keys()], next: plan.next };
}

/** Formats the files, since the length of a name and its place in the alphabet change line breaks and the order of imports. */
export function tidy(paths, root = ROOT) {
  const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const files = paths.filter((path) => path.endsWith('.ts'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, 'check', '--write', ...files], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Complaint(`Written, but not in the house's format:\n${stdout}${stderr}`);
}

export function main(args) {
  const { paths, next } = make(args);
  tidy(paths);
  for (const path of paths) say(path);
  say(`\nThen:\n${next.map((line) => `  ${line}`).join('\n')}`);
}
