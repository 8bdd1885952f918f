// Writes the campaign's page, docs/explanation/reliability.md, from the measurements, and a sentence for each fault.
import { COMMANDS } from './campaign-kills.mjs';
import { ROWS } from './campaign-rows.mjs';

const table = (columns, rows, right = '---:') =>
  [columns, columns.map((_, i) => (i === 0 ? '---' : right)), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);

export function report({ kills, flips, rows, archives, disk, refusals, page, soak, settings }) {
  const faults = [
    ...kills.flatMap(({ name, different, complaints }) => [
      ...different.map((file) => `after kills, ${file} of ${name} differs`),
      ...complaints.map((words) => `${name}: ${words}`),
    ]),
    ...(rows && rows.different > 0 ? [`after kills, ${rows.different} files of rows differ`] : []),
    ...archives
      .filter(({ equal }) => !equal)
      .map(({ environment }) => `the archive of ${environment} is not the same again`),
    ...archives
      .filter(({ unseen }) => unseen > 0)
      .map((row) => `${row.unseen} flips of the archive of ${row.environment} were read without a word`),
    ...(page?.faults ?? []),
    ...(page?.rows ?? [])
      .filter(({ equal }) => !equal)
      .map(({ way, phase }) => `${way ?? 'two tabs'}, ${phase ?? ''}: other numbers`),
    ...(soak?.faults ?? []),
    ...[...flips, ...(rows?.flips ?? [])]
      .filter(({ unseen }) => unseen > 0)
      .map((row) => `${row.unseen} flips of ${row.command}’s ${row.name} were read without a word`),
    ...(disk?.rows ?? []).filter((row) => !isWell(row)).map(({ name, size }) => `${name} on a disk of ${size} KiB`),
    ...refusals.filter(({ ok }) => !ok).map(({ what, code, words }) => `${what}: exit ${code}, ${words}`),
  ];
  const text = [
    '# What survives a kill, a flipped bit and a full disk',
    '`npm run campaign` writes this page from its own measurements. It uses the command line as it is shipped, on the CPU device. Each figure counts something that was done. Nothing is written by hand.',
    `These commands are tested: ${Object.values(COMMANDS)
      .map((args) => `\`npm run lab -- ${args.join(' ')}\``)
      .join(
        ', ',
      )}, each with \`--out\`. Each output folder is compared, file by file, with that of an undisturbed command. In records and checkpoints everything is compared except times (when a run was made, how long its steps took). All other files are compared byte by byte.`,
    ...(kills.length ? [killText(kills, settings)] : []),
    ...(flips.length ? [flipText(flips)] : []),
    ...(rows ? [rowsText(rows, settings)] : []),
    ...(archives.length ? [archiveText(archives)] : []),
    ...(page ? pageTexts(page) : []),
    ...(soak ? [soakText(soak, settings)] : []),
    ...(disk ? [diskText(disk), refusalText(refusals)] : []),
    [
      '## What it does not cover',
      '',
      '- Power cuts: the system’s write cache survives a kill, but not a power cut. Every file is synced before it is renamed; the folder is not synced.',
      '- Several commands in one folder or one file of rows. Unit tests cover this: a lock refuses the second command (`packages/base/src/files/lock.node.test.ts`, `src/cli/files/rows.test.ts`), and claims share the folder of a sweep (`src/storage/claims/claims.test.ts`). Several machines were not tried.',
      '- The browser’s database. Its sha-256 and previous checkpoint are tested with records that are changed in place (`src/storage/kept-record.test.ts`); a full disk is tested in a browser (`e2e/quota.spec.ts`).',
      '- A real GPU. Devices were lost on Chromium’s software adapter, and in `src/lab/work/device-loss.test.ts`, which also removes a device during extraction and final evaluation.',
    ].join('\n'),
  ].join('\n\n');
  return { text: `${text}\n`, faults };
}

/** Replaces the sections of `page` by those of `measured` with the same heading; new ones go before the last, “What it does not cover”. */
export function withSections(page, measured) {
  const sectionsOf = (text) => text.trimEnd().split(/\n\n(?=## )/);
  const head = (section) => section.split('\n')[0];
  const [, ...fresh] = sectionsOf(measured);
  const known = sectionsOf(page).map((old) => fresh.find((section) => head(section) === head(old)) ?? old);
  const added = fresh.filter((section) => !known.includes(section));
  return `${[...known.slice(0, -1), ...added, ...known.slice(-1)].join('\n\n')}\n`;
}

function rowsText({ kills, cuts, starts, finished, rows, different, flips }, { seed }) {
  const [{ flips: count, error, replaced, harmless, unseen }] = flips;
  return [
    '## Rows',
    '',
    `\`npm run lab -- ${ROWS.join(' ')} FILE\`, ${rows} rows: SIGKILL is sent after the file has grown a random number of times (seed ${seed}). After half of the kills the last line is cut at a random place, as a power cut would leave it. The same command is given again until it ends by itself, and the file is compared byte by byte with an undisturbed one. Then single bits are flipped, and the command is given once more. *Reported*: it continues, with a message that a line was cut off or has no checksum.`,
    '',
    table(
      ['what', 'count'],
      [
        ['kills', kills],
        ['last lines cut off', cuts],
        ['starts', starts],
        ['finished files', finished],
        ['of these, different', different],
        ['flipped bits', count],
        ['refused by a named error', error],
        ['reported', replaced],
        ['same contents', harmless],
        ['not detected', unseen],
      ],
    ),
  ].join('\n');
}

function archiveText(rows) {
  const keys = ['flips', 'error', 'harmless', 'unseen'];
  return [
    '## Archives of every environment',
    '',
    'For each environment, a run of its own model (arm none, one step) is exported as the page does it, imported into an empty store, and exported again. *Equal*: the second archive equals the first byte for byte. Then single bits of the archive are flipped. *Same contents*: the archive is imported, and its second export equals the undamaged archive.',
    '',
    table(
      ['environment', 'bytes', 'files', 'equal', 'flips', 'named error', 'same contents', 'not detected'],
      [
        ...rows.map((row) => [
          row.environment,
          row.bytes,
          row.files,
          row.equal ? 'yes' : 'no',
          ...keys.map((key) => row[key]),
        ]),
        ['together', '', '', '', ...keys.map((key) => sum(rows, key))],
      ],
    ),
  ].join('\n');
}

/** Returns a section for each program in the browser that ran. */
function pageTexts({ rows, faults }) {
  const [loss, tabs] = ['loss', 'tabs'].map((part) => rows.filter((row) => row.part === part));
  const lossText = [
    '## Lost devices and workers',
    '',
    'The programs in `e2e/campaign` run on the built page in Chromium, on the software adapter and the CPU device. When the worker reports that step 2 has reached a phase, one of three things happens: the device is destroyed, the browser’s GPU process is killed, or the worker ends itself. Then the page is opened again and the run is resumed. Its numbers are compared with those of an undisturbed run.',
    '',
    table(
      ['event', 'phase', 'message on the page', 'numbers after Resume'],
      loss.map(({ way, phase, words, equal }) => [way, phase, words, equal ? 'equal' : 'other']),
      '---',
    ),
    // A program stops at its first failure, so that later phases are missing in the table.
    ...faults.map((fault) => `\n- ${fault}: phases that are missing above were not reached.`),
  ].join('\n');
  const tabsText = [
    '## One run, two tabs',
    '',
    `A stopped run was resumed in two tabs at the same moment, ${tabs.length} times. In ${tabs.filter(({ refused }) => refused === 1).length} of these one tab trained and the other named it. In ${tabs.filter(({ equal }) => equal).length} the numbers were equal to those of a run in one tab.`,
  ].join('\n');
  return [...(loss.length ? [lossText] : []), ...(tabs.length ? [tabsText] : [])];
}

function soakText({ hours, commands, refused, again, faults }, { seed }) {
  return [
    '## Random commands',
    '',
    `\`npm run campaign -- soak --hours ${hours}\`, seed ${seed}: ${commands} commands, of which ${refused} were refused and ${again} were repetitions. Each must end with exit code 0 or an error of one sentence, and a repeated command must print the same text. Failures: ${faults.length}.`,
    ...faults.map((fault) => `\n- ${fault.replaceAll('\n', ' ')}`),
  ].join('\n');
}

function killText(kills, { seed }) {
  const rows = kills.map((row) => [
    row.name,
    row.kills,
    row.inWrite,
    row.starts,
    row.finished,
    row.files,
    row.different.length,
  ]);
  const all = [
    'together',
    ...['kills', 'inWrite', 'starts', 'finished', 'files'].map((key) => sum(kills, key)),
    kills.flatMap(({ different }) => different).length,
  ];
  return [
    '## Kills',
    '',
    `SIGKILL is sent at random moments (seed ${seed}): a third at any time, two thirds when an unfinished file appears in the folder. The same command is given again until it ends by itself.`,
    '',
    table(
      ['command', 'kills', 'during a write', 'starts', 'finished folders', 'files compared', 'different'],
      [...rows, all],
    ),
  ].join('\n');
}

function flipText(flips) {
  const keys = ['flips', 'error', 'replaced', 'harmless', 'unseen'];
  const rows = flips.map((row) => [`${row.command}: ${row.name}`, ...keys.map((key) => row[key])]);
  return [
    '## Flipped bits',
    '',
    'One bit of one file is flipped, anywhere in the file. Then the file is read as the command reads it. *Replaced*: the command prints a message and uses the previous checkpoint, or makes the file again. *Same contents*: the bit has no meaning (the time in a gzip header), and what was read equals what was written.',
    '',
    table(
      ['file', 'flips', 'named error', 'replaced', 'same contents', 'not detected'],
      [...rows, ['together', ...keys.map((key) => sum(flips, key))]],
    ),
  ].join('\n');
}

const isWell = ({ code, sentence, parts, after, different }) =>
  code === 1 && sentence && parts === 0 && after === 0 && different.length === 0;

function diskText({ rows, why }) {
  const lines = rows.map((row) => [
    `${row.name}, ${row.size} KiB`,
    row.code,
    row.sentence ? 'yes' : 'no',
    row.parts,
    row.after,
    row.different.length,
  ]);
  return [
    '## Full disk',
    '',
    why
      ? `Not run: ${why}.`
      : 'The command writes to a tmpfs that is too small for its output. Then the tmpfs is enlarged, and the same command is given again.',
    ...(lines.length
      ? [
          '',
          table(
            [
              'command, size of the disk',
              'exit code',
              'one sentence, no stack trace',
              'unfinished files left',
              'exit code, second try',
              'files that differ',
            ],
            lines,
          ),
        ]
      : []),
  ].join('\n');
}

function refusalText(rows) {
  return [
    '## Folders and files that cannot be used',
    '',
    table(
      ['what', 'exit code', 'as expected', 'message'],
      rows.map(({ what, code, ok, words }) => [what, code, ok ? 'yes' : 'no', words.replaceAll('|', '\\|')]),
      '---',
    ),
  ].join('\n');
}
