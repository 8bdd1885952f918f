// A model folder, file by file: config.json, the index of shards, the tokenizer's files, the chat template, generation_config.json;
// and the record of a kept model.

import { CONFIG_FIELDS } from '../../src/engine/config-fields.ts';
import { readConfig } from '../../src/engine/config-reading.ts';
import { examineModel } from '../../src/lab/models/examination.ts';
import { configAsUsed } from '../../src/storage/model-export.ts';
import { inspectModelFiles, loadModelFiles } from '../../src/storage/model-files.ts';
import { readRecord, writeRecord } from '../../src/storage/model-store.ts';
import { openModelText } from '../../src/storage/model-text.ts';
import { wantedFiles } from '../../src/storage/models/files.ts';
import { renderChat } from '../../src/text/chat.ts';
import type { Reader } from '../judge.ts';
import { bytesOf, mutateJson, mutateText, textOf } from '../mutate.ts';
import type { Random } from '../random.ts';
import { FOLDER, folder, mutateSafetensors, TOKENIZER } from './made.ts';

const CONFIG_WORDS = [
  ...['partial_rotary_factor', 'layer_types', 'is_causal', 'full_attention', 'rope_theta', 'auto_map'],
  'qwen3',
  'llama',
  'yarn',
  'llama3',
  'linear',
  'rope_scaling',
  'factor',
  'rope_parameters',
  'head_dim',
];
const HI = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'f(x)?' },
] as const;

async function answer(change: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const model = await loadModelFiles(folder(change));
  const { codec, chat, hasChatTemplate } = await openModelText(model, 'the model');
  const ids = codec.encodePrompt(hasChatTemplate ? await chat(HI) : 'def f(x): return x');
  codec.decode(ids);
}

const ROPE = JSON.stringify({
  ...JSON.parse(textOf(FOLDER['config.json'])),
  rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 8, beta_fast: 32 },
});
/** Both objects of positions, and a field of each kind. */
const FIELDS = JSON.stringify({
  ...JSON.parse(textOf(FOLDER['config.json'])),
  rope_scaling: { type: 'linear', factor: 2, rope_theta: 500 },
  rope_parameters: { rope_type: 'default', rope_theta: 1e6 },
  attention_dropout: 0,
  is_causal: true,
  mystery: [1],
});
const ADDED = JSON.stringify({ '<|new|>': 262, '<|newer|>': 263 });
const { added_tokens_decoder: _, ...older } = TOKENIZER.config as Record<string, unknown>;
const OLDER = JSON.stringify(older);

/** What is read of a config is read again of what an export writes. */
async function readAgain(input: Uint8Array): Promise<void> {
  const header = await inspectModelFiles(folder({ 'config.json': input }));
  const { config } = readConfig(configAsUsed(header));
  if (JSON.stringify(config) !== JSON.stringify(header.config)) throw new Error('An export says something else.');
}

const INDEX = JSON.stringify({
  weight_map: { a: 'model.safetensors', b: 'x.safetensors' },
  metadata: { total_size: 1 },
});
const RECORD = writeRecord({
  id: 'm',
  origin: { kind: 'hub', repo: 'a/b', revision: 'main' },
  files: [{ path: 'config.json', bytes: 3, sha256: null }],
  complete: true,
  createdAt: 1,
});

const TEMPLATES = [
  TOKENIZER.config.chat_template as string,
  "{%- set ns = namespace(last=0) %}{%- for m in messages[::-1] %}{% if m.role == 'user' and not m.content.startswith('<t>') %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}{{ ns.last }}{% for m in messages %}{{ m.content.split('x')[-1].lstrip('\\n') | trim }}{% endfor %}",
  "{% macro say(m, mark='#') %}{{ mark }}{{ m.role|title }}{% endmacro %}{% for m in messages %}{{ say(m) }}{{ m|tojson(indent=2) }}{% endfor %}{% filter upper %}{{ messages|length }}{% endfilter %}",
  "{% for m in messages if m.role != 'system' %}{{ loop.revindex ~ loop.nextitem|default('-') }}{{ '%s %5.2f'|format(m.role, 1.5) }}{{ m.content.partition('f')[1]|title|indent(2, true) }}{% else %}{% raw %}{{ }}{% endraw %}{% endfor %}{{ messages|map(attribute='role')|unique|sort(reverse=true)|join('|') }}{{ messages|groupby('role')|tojson(indent=1) }}{% set x | trim %} {{ [1, 2.5, none][::-1] }} {% endset %}{{ x is string and 3 < 4 <= 5 and x[1:-1].split(', ', 1)|length // 2 }}",
  "{% macro tree(n) %}{{ n }}{{ caller(n ** 2) if n else varargs }}{% endmacro %}{% call(v) tree(3) %}{{ v|round(-1) }}{% endcall %}{% with a = dict(x=range(3)|list) %}{% for k, v in a.items() recursive %}{{ k }}{{ v|sum }}{% endfor %}{% endwith %}{% generation %}{{ strftime_now('%d %B') }}{% endgeneration %}",
];
const TEMPLATE_WORDS = [
  ...[
    '{% for i in range(20000000) %}',
    '{% for i in range(9999) %}',
    '{% endfor %}',
    '{% set a = a + a %}',
    '{% set a = [a, a] %}',
  ],
  ...[
    '{% set a = a ~ a %}',
    "{% set a = 'ab' %}",
    "{% set a = a.replace('a', a) %}",
    "{{ a|replace('b', a) }}",
    '{{ a }}',
    '{{',
    '}}',
  ],
  ...[
    '{%',
    '%}',
    '{#',
    '#}',
    ' ',
    '\n',
    '(',
    '[',
    '{',
    "'",
    '"',
    '\\',
    '|',
    '|tojson',
    '|indent(99999999)',
    '|join(a)',
    '|sort',
  ],
  ...[
    '{% macro f() %}',
    '{{ f() }}',
    '{% endmacro %}',
    '{% if a %}',
    '{% endif %}',
    '{% break %}',
    '{% generation %}',
    'generation',
  ],
  ...[
    'range(9999)',
    "'x'.split('')",
    '**',
    '//',
    '-',
    '~',
    'not ',
    'namespace(a=a)',
    '{% filter upper %}',
    '{% endfilter %}',
    '{% call f() %}',
  ],
  ...[
    '{% set ns.a = ns %}',
    'messages[0].content',
    'raise_exception(a)',
    'strftime_now("%Y")',
    '{%- ',
    ' -%}',
    '0',
    '9'.repeat(400),
  ],
  ...[
    '|map("upper")',
    '|batch(99999999, 0)',
    "|format('%99999999s')",
    '|replace("", a)',
    '|groupby("role")',
    '|round(400)',
    '|list',
    '|e',
    '* 99999999',
    '.ljust(99999999)',
    '.expandtabs(99999999)',
    '.format(a)',
    '% a',
    '[::-1]',
    '.title()',
    '|unique',
    '|tojson(indent=99999999)',
    '{% for x in a recursive %}{{ loop(x) }}',
    '{% raw %}',
    '{% set a %}',
    '{% endset %}',
    '1e308',
    '"\\ud800"',
    '𝒳',
    'loop.nextitem',
    '*a',
    '**a',
    ' if a else ',
    ' is in ',
  ],
];

const TOKENIZER_WORDS = [
  'BPE',
  'Unigram',
  'WordPiece',
  'ByteLevel',
  'Sequence',
  'Split',
  'NFC',
  'Regex',
  'TemplateProcessing',
];

function jsonFile(name: string, words: readonly string[] = []) {
  return (random: Random) => bytesOf(mutateJson(textOf(FOLDER[name]), random, words));
}

export const MODEL_READERS: readonly Reader[] = [
  {
    name: 'config',
    what: 'config.json, before and beside the weights',
    good: FOLDER['config.json'],
    make: (random) => bytesOf(mutateJson(random.oneIn(2) ? ROPE : textOf(FOLDER['config.json']), random, CONFIG_WORDS)),
    read: (input) => inspectModelFiles(folder({ 'config.json': input })),
  },
  {
    name: 'config-export',
    what: 'config.json as it is read, with its fields and notes, and as an export writes it',
    good: bytesOf(FIELDS),
    make: (random) => bytesOf(mutateJson(FIELDS, random, [...CONFIG_WORDS, ...Object.keys(CONFIG_FIELDS)])),
    read: (input) => readAgain(input),
  },
  {
    name: 'added-tokens',
    what: 'added_tokens.json beside a tokenizer without added_tokens_decoder',
    good: bytesOf(ADDED),
    make: (random) => bytesOf(mutateJson(ADDED, random)),
    read: (input) => answer({ 'added_tokens.json': input, 'tokenizer_config.json': bytesOf(OLDER) }),
  },
  {
    name: 'doctor',
    what: 'a folder’s report, its config and tokenizer damaged: refusals are a part of it',
    good: bytesOf(ROPE),
    make: (random) => bytesOf(mutateJson(ROPE, random, CONFIG_WORDS)),
    async read(input) {
      const source = folder({ 'config.json': input });
      await examineModel(source, [{ path: 'config.json', bytes: input.length }], { prompt: 'f(x)?', spec: null });
    },
  },
  {
    name: 'weights',
    what: 'model.safetensors of a folder, to its words',
    good: FOLDER['model.safetensors'],
    make: (random) => mutateSafetensors(FOLDER['model.safetensors'], random),
    read: (input) => answer({ 'model.safetensors': input }),
  },
  {
    name: 'shards',
    what: 'the index of shards, in a folder and on a server',
    good: bytesOf(JSON.stringify({ weight_map: { a: 'model.safetensors' } })),
    make: (random) => bytesOf(mutateJson(INDEX, random, ['model.safetensors', '../x', 'weight_map'])),
    async read(input) {
      const index = 'model.safetensors.index.json';
      await wantedFiles(['config.json', index, 'model.safetensors'], async () => textOf(input), 'x').catch((error) => {
        if (!/shards are missing|no weight_map/.test(String(error))) throw error;
      });
      await answer({ [index]: input });
    },
  },
  {
    name: 'tokenizer',
    what: 'tokenizer.json, to an encoded and decoded text',
    good: FOLDER['tokenizer.json'],
    make: jsonFile('tokenizer.json', TOKENIZER_WORDS),
    read: (input) => answer({ 'tokenizer.json': input }),
  },
  {
    name: 'tokenizer-config',
    what: 'tokenizer_config.json, its chat template included',
    good: FOLDER['tokenizer_config.json'],
    make: jsonFile('tokenizer_config.json', [
      'default',
      'chat_template',
      'template',
      'name',
      ...TEMPLATE_WORDS.slice(0, 4),
    ]),
    read: (input) => answer({ 'tokenizer_config.json': input }),
  },
  {
    name: 'generation',
    what: 'generation_config.json',
    good: FOLDER['generation_config.json'],
    make: jsonFile('generation_config.json'),
    read: (input) => answer({ 'generation_config.json': input }),
  },
  {
    name: 'template',
    what: 'chat_template.jinja, rendered',
    good: bytesOf(TEMPLATES[1]),
    make: (random) => bytesOf(mutateText(random.of(TEMPLATES), TEMPLATE_WORDS, random)),
    read: (input) => renderChat(HI, textOf(input), { bos_token: '<s>' }, 'the model'),
  },
  {
    name: 'model-record',
    what: 'the record beside a kept model',
    good: bytesOf(RECORD),
    make: (random) => bytesOf(mutateJson(RECORD, random)),
    read: (input) => readRecord(textOf(input), 'm'),
  },
];
