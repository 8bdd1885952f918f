// The campaign's page, docs/explanation/reliability.md, from what was measured; and the sentences that say what did not hold.
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
    'Written by `npm run campaign` from what it measured, with the command line as a person has it, on the CPU device. Each figure counts something that was done; nothing is written by hand.',
    `The commands: ${Object.values(COMMANDS)
      .map((args) => `\`npm run lab -- ${args.join(' ')}\``)
      .join(
        ', ',
      )}, each with \`--out\`. A folder is compared with that of a command that was never disturbed, file by file; of records and checkpoints everything but the clock (when a run was made, how long its steps took), of all other files every byte.`,
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
      '- Power cuts: a kill leaves the system’s own cache, a power cut does not. Every file is synced before it takes its name; the folder is not.',
      '- Several commands at work in one folder or one file of rows: a lock refuses the second (`src/storage/lock.node.test.ts`, `src/cli/files/rows.test.ts`), and a study’s or a sweep’s folder is shared by claims (`src/storage/claims/claims.test.ts`); several machines were not tried.',
      '- The browser’s database: there the sha-256 and the checkpoint before are tested with records that are changed in place (`src/storage/kept-record.test.ts`), and a full disk by a journey (`e2e/quota.spec.ts`).',
      '- A real GPU: devices were lost on Chromium’s software adapter, and in `src/lab/work/device-loss.test.ts`, which takes one away in extraction and final evaluation too.',
    ].join('\n'),
  ].join('\n\n');
  return { text: `${text}\n`, faults };
}

/** The page with those sections of `measured` that have figures in the place of its own; new ones before what is not covered. */
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
    `\`npm run lab -- ${ROWS.join(' ')} FILE\`, ${rows} rows: SIGKILL when the file has grown so many times (seed ${seed}); after half of the kills the last line is cut off somewhere, as a power cut leaves it. The same command is given again until it ends by itself, and the file is compared with an undisturbed one, every byte. Then single bits are flipped, and the command is given once more; *said*: it goes on, and says that a line was cut off or has no checksum.`,
    '',
    table(
      ['what', 'count'],
      [
        ['kills', kills],
        ['last lines cut off', cuts],
        ['starts', starts],
        ['finished files', finished],
        ['of these different', different],
        ['flipped bits', count],
        ['refused by a named error', error],
        ['said', replaced],
        ['same contents', harmless],
        ['read without a word', unseen],
      ],
    ),
  ].join('\n');
}

function archiveText(rows) {
  const keys = ['flips', 'error', 'harmless', 'unseen'];
  return [
    '## Archives of every environment',
    '',
    'A run of each environment’s own model (arm none, one step), exported as the page does it, taken in where nothing is kept, and exported again. *Equal*: the second archive is the first, every byte. Then single bits of the archive are flipped; *same contents*: it is taken in, and exported again it is the undamaged one.',
    '',
    table(
      ['environment', 'bytes', 'files', 'equal', 'flips', 'named error', 'same contents', 'read without a word'],
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

/** Of each program in the browser that ran. */
function pageTexts({ rows, faults }) {
  const [loss, tabs] = ['loss', 'tabs'].map((part) => rows.filter((row) => row.part === part));
  const lossText = [
    '## Lost devices and workers',
    '',
    'Programs of `e2e/campaign` on the built page in Chromium, the software adapter and the CPU device: when the worker says that step 2 has reached a phase, the device is destroyed in it, or the browser’s GPU process is killed, or the worker ends itself. Then the page is opened anew, the run is resumed, and its numbers are held against those of a run that nothing disturbed.',
    '',
    table(
      ['what', 'in', 'the page said', 'the numbers after Resume'],
      loss.map(({ way, phase, words, equal }) => [way, phase, words, equal ? 'equal' : 'other']),
      '---',
    ),
    // A program stops at what does not hold: phases that are missing in the table were not reached.
    ...faults.map((fault) => `\n- ${fault}: phases that are missing above were not reached.`),
  ].join('\n');
  const tabsText = [
    '## One run, two tabs',
    '',
    `A stopped run was resumed in two tabs in the same moment, ${tabs.length} times: one tab trained, the other said who does in ${tabs.filter(({ told }) => told === 1).length}, and the numbers were those of a run in one tab in ${tabs.filter(({ equal }) => equal).length}.`,
  ].join('\n');
  return [...(loss.length ? [lossText] : []), ...(tabs.length ? [tabsText] : [])];
}

function soakText({ hours, commands, refused, again, faults }, { seed }) {
  return [
    '## Random commands',
    '',
    `\`npm run campaign -- soak --hours ${hours}\`, seed ${seed}: ${commands} commands, of which ${refused} were refused and ${again} had been given before. Each must end with exit code 0 or a sentence, and print the same text whenever it is given again: ${faults.length} did not.`,
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
    `SIGKILL at moments drawn with the seed ${seed}: a third at any time, two thirds when an unfinished file appears in the folder. The same command is given again until it ends by itself.`,
    '',
    table(
      [
        'command',
        'kills',
        'of these while a file was written',
        'starts',
        'finished folders',
        'files compared',
        'different',
      ],
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
    'One bit of one file, anywhere in it, then read as the command reads it. *Replaced*: the person is told, and the checkpoint before it is used, or the file is made again. *Same contents*: bits that mean nothing (the time in a gzip header); what was read is what had been written.',
    '',
    table(
      ['file', 'flips', 'named error', 'replaced', 'same contents', 'read without a word'],
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
      : 'A tmpfs that is too small for what the command keeps; then it is given room, and the same command again.',
    ...(lines.length
      ? [
          '',
          table(
            [
              'command, size of the disk',
              'exit code',
              'a sentence, no stack',
              'unfinished files left',
              'exit code with room',
              'files that differ then',
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
      ['what', 'exit code', 'as it should be', 'what was said'],
      rows.map(({ what, code, ok, words }) => [what, code, ok ? 'yes' : 'no', words.replaceAll('|', '\\|')]),
      '---',
    ),
  ].join('\n');
}
