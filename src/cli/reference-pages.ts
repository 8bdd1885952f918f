// Reference pages that are generated from the code. docs/reference/commands.md: the help of every command, as `--help` prints it.
// docs/reference/schemas.md: every field of a person's files and of a run's rows, from the schemas that their readers check; name, bounds
// and defaults come from zod. docs/reference/models.md: the lab's use of a model's folder, from the table of config fields that the loader
// reads by.
import * as z from 'zod/mini';
import { CONFIG_FIELDS, type ConfigField } from '../engine/config-fields.ts';
import { pairSchema } from '../environments/code/pair-sets/json.ts';
import { poolRowSchema } from '../environments/code/pool.ts';
import { problemLineSchema } from '../environments/custom/problem-file.ts';
import { ownSpecSchema } from '../experiments/characters/own/spec.ts';
import { evalRow, rollout, stepRow, stepTiming } from '../experiments/records/rows-schema.ts';
import { sweepSchema } from '../experiments/sweep/spec.ts';
import { PEFT_FIELDS } from '../storage/peft/config-fields.ts';
import { helpText } from './args.ts';
import { type Command, EXIT_CODES } from './command.ts';
import { COMMANDS } from './commands.ts';

export async function commandsMarkdown(): Promise<string> {
  const sections: string[] = [];
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = await load();
    sections.push(section(`## ${name}`, `${summary[0].toUpperCase()}${summary.slice(1)}.`, command));
    for (const [part, loadPart] of Object.entries(command.parts ?? {}))
      sections.push(section(`### ${name} ${part}`, null, await loadPart()));
  }
  return [
    '# Every command',
    '',
    'Made by `npm run -s lab -- help --markdown > docs/reference/commands.md` from what `--help` prints; a test compares the two. Examples: [the command line](../how-to/command-line.md). Options that `--set` takes: [options](options.md).',
    '',
    `Results go to stdout (\`--json\` for machines), progress and errors to stderr. ${EXIT_CODES}`,
    '',
    ...sections,
  ].join('\n');
}

function section(heading: string, lead: string | null, { usage }: Command): string {
  return [heading, '', ...(lead ? [lead, ''] : []), '```text', helpText(usage), '```', ''].join('\n');
}

/** Each format: its heading, its place in a file, its schema. */
const FORMATS: readonly (readonly [string, string, z.ZodMiniType])[] = [
  ['Pairs', 'A file is a JSON array of these. Written by you or the page; read by `extract --pairs`.', pairSchema],
  ['Problems of your own', 'A line of the file. Read by `run --environment custom --problems`.', problemLineSchema],
  ['Characters of your own', 'The whole file. Read by `characters --spec`.', ownSpecSchema],
  ['Teacher pool', 'A line of the file. Written by `pool`; read by `run --teacher-pool`.', poolRowSchema],
  ['Sweep', 'The whole file. Read by `sweep`; as JSON Schema: `sweep schema`.', sweepSchema],
  ['Step', 'One element of a run’s `rows` in `run --json`; a row of a run directory.', stepRow],
  ['Time of a step', 'One element of `timings`.', stepTiming],
  ['Evaluation', 'One element of `evals`.', evalRow],
  ['Kept rollout', 'A row of a run directory’s rollouts.', rollout],
];

interface Json {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Json[];
  oneOf?: readonly Json[];
  properties?: Record<string, Json>;
  additionalProperties?: Json | boolean;
  required?: readonly string[];
  items?: Json;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

const jsonSchemaOf = (schema: z.ZodMiniType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
const choices = ({ anyOf, oneOf }: Json) => anyOf ?? oneOf;

/** `1 … 20 `: chosen bounds; those of safe integers are left out. */
function range(least: number | undefined, most: number | undefined, above?: number): string {
  const isBound = (value: number | undefined) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (above !== undefined) return isBound(most) ? `, above ${above}, at most ${most}` : `, above ${above}`;
  if (isBound(least) && isBound(most)) return `, ${least} … ${most}`;
  if (isBound(least)) return `, at least ${least}`;
  return isBound(most) ? `, at most ${most}` : '';
}

function typeOf(schema: Json): string {
  const some = choices(schema);
  if (some) return [...new Set(some.map(typeOf))].join(' or ');
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  switch (schema.type) {
    case 'string':
      return `text${range(schema.minLength, schema.maxLength).replace(/.$/, '$& characters')}`;
    case 'integer':
    case 'number':
      return `${schema.type}${range(schema.minimum, schema.maximum, schema.exclusiveMinimum)}`;
    case 'array':
      return `list of ${typeOf(schema.items ?? {})}${range(schema.minItems, schema.maxItems)}`;
    case 'object':
      return schema.properties ? 'object' : 'map';
    case undefined:
      return 'list or map';
    default:
      return schema.type;
  }
}

/** A row for each field, with those of nested objects after it under their path: `checks[].true.kind`. */
function rowsOf(schema: Json, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const own = path + name;
    const need = schema.required?.includes(name) ? 'yes' : 'no';
    const otherwise = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``;
    return [`| \`${own}\` | ${need} | ${otherwise} | ${typeOf(field)}${kindsOf(field)} |`, ...innerRows(field, own)];
  });
}

/** For a choice between kinds, each kind's own fields: `checks[].true(regex).pattern`. */
function innerRows(field: Json, own: string): string[] {
  if (field.type === 'array') return innerRows(field.items ?? {}, `${own}[]`);
  const rows = [field, ...(choices(field) ?? [])].flatMap((one) => {
    const kind = choices(field) && one.properties?.kind?.const;
    return rowsOf(one, kind ? `${own}(${kind}).` : `${own}.`).filter(
      (row) => !row.startsWith(`| \`${own}(${kind}).kind\``),
    );
  });
  return [...new Set(rows)];
}

function kindsOf(field: Json): string {
  const kinds = choices(field)?.flatMap(({ properties }) => properties?.kind?.const ?? []) ?? [];
  return kinds.length > 1 ? ` with \`kind\` ${kinds.map((kind) => `\`${kind}\``).join(', ')}` : '';
}

export const schemasMarkdown = (): string =>
  [
    '# Schemas of the files',
    '',
    'Made by `npm run -s lab -- help --schemas > docs/reference/schemas.md` from the schemas that the readers check; a test compares the two. Which file is which: [file formats](files.md). `[]` marks an element of a list. “list or map” marks a part whose elements the reader checks one by one. Measures of a step have their unit and meaning in [what is logged](measures.md).',
    '',
    ...FORMATS.flatMap(([title, where, schema]) => [
      ...[`## ${title}`, '', where, ''],
      ...['| Field | Required | Default | Type |', '| --- | --- | --- | --- |'],
      ...[...rowsOf(jsonSchemaOf(schema), ''), ''],
    ]),
  ].join('\n');

/** Rules by which files of a folder, tokenizers and contradictory files are read. */
const FOLDER_TEXT = [
  '## Files',
  '',
  '| Found in a folder | What is read |',
  '| --- | --- |',
  '| `model.safetensors`, and an index with shards beside it | `model.safetensors`, whichever is newer, as in transformers; a warning names the index |',
  '| `model.safetensors.index.json` and shards | the shards; refused where one is missing, where a shard has not the tensors that the index says, or has others |',
  '| `lm_head.weight` under `tie_word_embeddings` | left out where it is equal to the embedding; used where it differs, as in transformers 5, and a warning says so |',
  '| `adapter_config.json` beside weights | the weights alone; a warning says that the adapter is left out |',
  '| tokens in `added_tokens_decoder` of tokenizer_config.json that tokenizer.json does not have | added where their id is the next one, else refused |',
  '| `added_tokens.json` | read where there is no `added_tokens_decoder`; refused where it names a token that no other file has |',
  '| a key twice in a header of safetensors | refused; in config.json the last one counts, and a warning says so |',
  '',
  '## Tokenizers',
  '',
  'Ids are those of the Rust library (`tokenizers`), which transformers uses. Models: BPE (with `byte_fallback`, `ignore_merges`, `fuse_unk`), Unigram, WordPiece, WordLevel. Pre-tokenizers: ByteLevel, Metaspace, Split and Punctuation with each behaviour, Digits, Whitespace, WhitespaceSplit, BertPreTokenizer, Sequence. Normalizers: NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Prepend, Replace, ByteLevel, Sequence. Decoders: ByteLevel, ByteFallback, Fuse, Strip, Replace, Metaspace, WordPiece, BPEDecoder, Sequence. Every other step (Precompiled, BertNormalizer, Nmt, UnicodeScripts, CTC), BPE with `dropout` or `continuing_subword_prefix`, and a post-processor that writes other ids than the vocabulary has, are refused by name.',
  '',
];

/** Rules of text/prompts.ts, text/generation.ts and text/thinking.ts, by command. */
const COMMAND_TEXT = [
  '## Template, beginning, end and thoughts in each command',
  '',
  'The rules are the same wherever a text goes to a model:',
  '',
  '- **Template.** A conversation is written by the model’s own chat template, its default system message included. `--chat-template chatml|none|FILE` takes the place of it, `--chat-arg name=value` gives it a variable. A model without a template is refused until one is chosen. A variable that the template never reads is named in a warning.',
  '- **Beginning.** A conversation begins with as many beginning-of-text tokens as its template writes, a plain text with as many as the tokenizer’s post-processor adds.',
  '- **End.** An answer ends at each id of `eos_token_id` in generation_config.json (in config.json where that is silent), and at the end token that the tokenizer’s files name.',
  '- **Thoughts.** With `--thinking strip` what stands after the last `</think>` is judged, and a thought that never ends leaves nothing. With `keep` all of a text is. `strip` is the default where the template that is used knows thoughts.',
  '',
  '| Command | Written by the template | Plain text | An answer ends | Thoughts |',
  '| --- | --- | --- | --- | --- |',
  '| `run`, `sweep` | each prompt of an environment, each turn after an answer; the option `chatTemplate` | with `--chat-template none` | at every end | `--thinking`; the option `thinking` |',
  '| `probe` | problems, pairs and the pool’s prompts; `--set chatTemplate=…` | with `--set chatTemplate=none` | at every end | as a run’s |',
  '| `generate` | the prompt with `--chat` | without `--chat` | at every end | printed as they are |',
  '| `improve`, `synthesise` | questions, drafts, syntheses | with `--chat-template none` | at every end | `--thinking` |',
  '| `instructions` | each prompt | with `--chat-template none` | at every end | `--thinking` |',
  '| `characters --spec` | prompts, probes and systems; documents are plain text | with `--chat-template none` | at every end | `--thinking` |',
  '| `pool --teacher` | each problem, as the student that trains on the pool reads it | with `--chat-template none` | at every end | the grader reads the answer alone where the template knows thoughts |',
  '| `extract` | the prompt of a pair with `--chat`, or one in ChatML’s notation | any other prompt | each completion is followed by the end that the template writes | trained as they are |',
  '| `are run`, `are bench`, `are composed` | the conversation of the agent | with `--chat-template none` | at every end, and at the agent’s stop words | `--thinking` (not of `are composed`) |',
  '| `doctor` | `--prompt` | where there is no template, or with `--chat-template none` | lists every end | says whether the template knows them |',
  '| `svd`, `export` | nothing | nothing | `export` copies generation_config.json, or makes it from the ends | nothing |',
  '',
];

const GROUPS: readonly (readonly [ConfigField['effect'], string, string])[] = [
  ['used', 'Used', 'For what'],
  ['refused', 'Refused where its value changes the computation', 'Why'],
  ['without effect', 'Without effect here', 'Why'],
];

/** Values at which a refused field changes nothing. */
function plainText({ plain, taken, only }: ConfigField): string {
  const values = taken ? [taken] : (plain?.map((value) => `\`${JSON.stringify(value)}\``) ?? []);
  const readBy = only ? `; read by ${only.join(' and ')} alone` : '';
  return `${[...values, 'absent'].join(', ')}${readBy}`;
}

/** Describes a field or the reason for its refusal, and names architectures that read it otherwise. */
const reasonOf = ({ effect, why, only, hybrid }: ConfigField): string =>
  [
    why,
    ...(hybrid ? [`Used by Qwen3.5: ${hybrid}`] : []),
    ...(only && effect === 'used' ? ['Of Qwen3.5 alone.'] : []),
  ].join(' ');

type AdapterField = (typeof PEFT_FIELDS)[string];
type Cells = (field: AdapterField) => readonly string[];

/** Rows of one effect: the field, cells before its reason, the reason, cells after it. */
function adapterRows(effect: AdapterField['effect'], before: Cells, after: Cells = () => []): string[] {
  return Object.entries(PEFT_FIELDS)
    .filter(([, field]) => field.effect === effect)
    .map(([name, field]) => `| ${[`\`${name}\``, ...before(field), field.why, ...after(field)].join(' | ')} |`);
}

/** Fields of an adapter's config that are read. */
const ADAPTER_TEXT = [
  '## Fields of adapter_config.json',
  '',
  'Of a LoRA adapter of PEFT (`--adapter`; [exchange](../how-to/exchange.md)). A field that is in no list is dropped by PEFT, and named in a note.',
  '',
  '### Used in an adapter',
  '',
  '| Field | Values that are read | Where absent | For what |',
  '| --- | --- | --- | --- |',
  ...adapterRows('used', ({ taken, otherwise }) => [
    taken ?? '',
    otherwise === undefined ? 'refused' : `\`${JSON.stringify(otherwise)}\``,
  ]),
  '',
  '### Refused in an adapter unless null, false or empty',
  '',
  '| Field | Why | Remedy |',
  '| --- | --- | --- |',
  ...adapterRows(
    'refused',
    () => [],
    ({ remedy = '' }) => [remedy],
  ),
  '',
  '### Without effect in an adapter',
  '',
  '| Field | Why |',
  '| --- | --- |',
  ...adapterRows('without effect', () => []),
  '',
];

export const modelsMarkdown = (): string =>
  [
    '# What is read of a model’s folder',
    '',
    'Made by `npm run -s lab -- help --models > docs/reference/models.md` from the table that the loader reads by; a test compares the two. `npm run lab -- doctor MODEL` says the same of one folder, with the first tokens of a prompt.',
    '',
    ...FOLDER_TEXT,
    ...COMMAND_TEXT,
    '## Fields of config.json',
    '',
    'Of Qwen2, Qwen3, Qwen3.5 and Llama, as transformers 4 and 5 write them. Positions: `rope_scaling` is read, or `rope_parameters` where it is absent or empty; `rope_theta` within counts before the one beside it. A field that is in no list is named in a warning.',
    '',
    ...GROUPS.flatMap(([effect, title, head]) => [
      ...[`### ${title}`, ''],
      ...(effect === 'refused'
        ? [`| Field | Values that are read | ${head} |`, '| --- | --- | --- |']
        : [`| Field | ${head} |`, '| --- | --- |']),
      ...Object.entries(CONFIG_FIELDS)
        .filter(([, field]) => field.effect === effect)
        .map(([name, field]) =>
          effect === 'refused'
            ? `| \`${name}\` | ${plainText(field)} | ${reasonOf(field)} |`
            : `| \`${name}\` | ${reasonOf(field)} |`,
        ),
      '',
    ]),
    ...ADAPTER_TEXT,
  ].join('\n');
