// Tests prompts of third-party models: how conversations in the lab's notation (chatml.ts) are written by each chat template, with its
// default system message, beginning-of-text token and ends of turns; the text that follows an answer; and refusals. The tokenizer is
// the lab's own with other models' special tokens.
import { readFileSync } from 'node:fs';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PromptSettings } from './chat-template.ts';
import { CHATML_TEMPLATE, chatOf, promptAfter, promptOf, turnOf } from './chatml.ts';
import { completionIds, givenIds, loadCodec, withSpecialTokens, writtenIds } from './codec.ts';
import { loadTemplates, PromptWriter } from './prompts.ts';

const read = (name: string) => JSON.parse(readFileSync(`public/models/tiny-coder/${name}`, 'utf8'));
const SPECIAL = ['<|bot|>', '<|head|>', '<|/head|>', '<|eot|>', '<s>', '</s>', '<end_of_turn>'];
const added = (id: number, content: string) => ({
  id,
  content,
  special: true,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
});
const tokenizer = read('tokenizer.json');
tokenizer.added_tokens.push(...SPECIAL.map((content, i) => added(512 + i, content)));
const config = { ...read('tokenizer_config.json'), chat_template: undefined };
/** Config fields that remove all named tokens, for a tokenizer whose special tokens have other names. */
const BARE = { added_tokens_decoder: undefined, additional_special_tokens: undefined };
const id = (token: string) => 512 + SPECIAL.indexOf(token);

/** A template like Llama 3's: a beginning-of-text token, headers, and an end token that is not the first one of generation_config.json. */
const HEADERS =
  "{{ bos_token }}{% for m in messages %}{{ '<|head|>' + m['role'] + '<|/head|>\n\n' + m['content'] | trim + '<|eot|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|head|>assistant<|/head|>\n\n' }}{% endif %}";
/** A template like Mistral's: the assistant has no header, and a space before and after its text. */
const BRACKETS =
  "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'user' %}{{ '[INST] ' + m['content'] + ' [/INST]' }}{% elif m['role'] == 'assistant' %}{{ ' ' + m['content'] + ' ' + eos_token }}{% else %}{{ raise_exception('Only user and assistant') }}{% endif %}{% endfor %}";
/** A template like Qwen 2.5's: ChatML with a default system message. */
const DEFAULTED = `{% if messages[0]['role'] != 'system' %}{{ '${turnOf('system', 'Be kind.').replaceAll('\n', '\\n')}' }}{% endif %}${CHATML_TEMPLATE}`;

interface Case {
  template: string | null;
  settings?: PromptSettings;
  bos?: string;
  eos?: string;
  ends?: number[];
  /** Expected texts: the prompt of `hi`; the same after the system message `s`; the text after an answer that ended; after one cut off. */
  opening: string;
  withSystem: string | RegExp;
  after: string;
  cut: string;
  end: number;
}

const CASES: Record<string, Case> = {
  'the lab’s own': {
    template: CHATML_TEMPLATE,
    opening: promptOf('hi'),
    withSystem: chatOf([
      { role: 'system', content: 's' },
      { role: 'user', content: 'hi' },
    ]),
    after: promptAfter('more', true),
    cut: promptAfter('more', false),
    end: 511,
  },
  'a default system message': {
    template: DEFAULTED,
    opening: turnOf('system', 'Be kind.') + promptOf('hi'),
    withSystem: turnOf('system', 's') + promptOf('hi'),
    after: promptAfter('more', true),
    cut: promptAfter('more', false),
    end: 511,
  },
  headers: {
    template: HEADERS,
    bos: '<|bot|>',
    eos: '<|bot|>',
    ends: [511, id('<|eot|>')],
    opening: '<|bot|><|head|>user<|/head|>\n\nhi<|eot|><|head|>assistant<|/head|>\n\n',
    withSystem:
      '<|bot|><|head|>system<|/head|>\n\ns<|eot|><|head|>user<|/head|>\n\nhi<|eot|><|head|>assistant<|/head|>\n\n',
    after: '<|head|>user<|/head|>\n\nmore<|eot|><|head|>assistant<|/head|>\n\n',
    cut: '<|eot|><|head|>user<|/head|>\n\nmore<|eot|><|head|>assistant<|/head|>\n\n',
    end: id('<|eot|>'),
  },
  brackets: {
    template: BRACKETS,
    bos: '<s>',
    eos: '</s>',
    opening: '<s>[INST] hi [/INST]',
    withSystem: /its chat template cannot be rendered \(Only user and assistant\)/,
    after: '[INST] more [/INST]',
    cut: ' </s>[INST] more [/INST]',
    end: id('</s>'),
  },
  'a template file in place of the model’s own template': {
    template: CHATML_TEMPLATE,
    settings: { template: { file: 'mine.jinja', text: HEADERS } },
    bos: '<|bot|>',
    opening: '<|bot|><|head|>user<|/head|>\n\nhi<|eot|><|head|>assistant<|/head|>\n\n',
    withSystem:
      '<|bot|><|head|>system<|/head|>\n\ns<|eot|><|head|>user<|/head|>\n\nhi<|eot|><|head|>assistant<|/head|>\n\n',
    after: '<|eot|><|head|>user<|/head|>\n\nmore<|eot|><|head|>assistant<|/head|>\n\n',
    cut: '<|eot|><|head|>user<|/head|>\n\nmore<|eot|><|head|>assistant<|/head|>\n\n',
    // The end token that this template writes does not stop generation here.
    end: 511,
  },
  'plain text': {
    template: null,
    settings: { template: 'none' },
    opening: 'hi',
    withSystem: 's\n\nhi',
    after: '\n\nmore\n\n',
    cut: '\n\nmore\n\n',
    end: 511,
  },
  'ChatML for a model without a template': {
    template: null,
    settings: { template: 'chatml' },
    opening: promptOf('hi'),
    withSystem: turnOf('system', 's') + promptOf('hi'),
    after: promptAfter('more', true),
    cut: promptAfter('more', false),
    end: 511,
  },
};

async function open({ template, settings, bos, eos = '<|im_end|>', ends }: Partial<Case>) {
  const tokenizerConfig = { ...config, bos_token: bos, eos_token: eos };
  const plain = await loadCodec(tokenizer, tokenizerConfig, ends);
  const model = { plain, template: template ?? null, tokenizerConfig, label: 'm' };
  return { plain, codec: new PromptWriter(model, settings).codec };
}

beforeAll(loadTemplates);

const OPENED = await Promise.all(
  Object.entries(CASES).map(async ([name, one]) => ({ name, one, ...(await open(one)) })),
);

describe.each(OPENED)('$name', ({ one, plain, codec }) => {
  it('writes a conversation as the template does, with its special tokens', () => {
    expect(codec.encodeChat(promptOf('hi'))).toEqual(plain.encode(one.opening));
    const asked = () => codec.encodeChat(turnOf('system', 's') + promptOf('hi'));
    if (one.withSystem instanceof RegExp) expect(asked).toThrow(one.withSystem);
    else expect(asked()).toEqual(plain.encode(one.withSystem));
  });

  it('writes the turn after an answer, and first ends an answer that was cut off', () => {
    expect(codec.encodeChat(promptAfter('more', true))).toEqual(plain.encode(one.after));
    expect(codec.encodeChat(promptAfter('more', false))).toEqual(plain.encode(one.cut));
  });

  it('ends an answer given as text with the token at which the model stops', () => {
    expect(codec.answerEnd).toBe(one.end);
    expect(completionIds(codec, 'yes')).toEqual([...plain.encode('yes'), one.end]);
    expect(writtenIds(codec, 'yes<|im_end|>')).toEqual([...plain.encode('yes'), one.end]);
  });
});

it('an answer ends at every listed id and at the tokenizer’s eos token', async () => {
  const endsOf = async (ends: number[], eos: string | undefined) =>
    (await loadCodec(tokenizer, { ...config, eos_token: eos }, ends)).endTokens;
  expect(await endsOf([509, 511, 10], '<|im_end|>')).toEqual([509, 511, 10]);
  expect(await endsOf([10], '</s>')).toEqual([10, id('</s>')]);
  expect(await endsOf([id('<|eot|>')], undefined)).toEqual([id('<|eot|>')]);
  // If no end tokens are listed, <|im_end|> and <|endoftext|> are added.
  expect(await endsOf([], '</s>')).toEqual([id('</s>'), 511, 509]);
  const named = withSpecialTokens({ ...config, eos_token: null }, { eos_token: { content: '</s>' } });
  expect((await loadCodec(tokenizer, named, [10])).endTokens).toEqual([10, id('</s>')]);
  expect(withSpecialTokens({ eos_token: 'a' }, { eos_token: 'b' })).toMatchObject({ eos_token: 'a' });
});

it('a missing end token gives an error that names the files searched', async () => {
  const text = JSON.stringify(tokenizer).replaceAll('<|im_end|>', '<|fin|>').replaceAll('<|endoftext|>', '<|doc|>');
  const load = () => loadCodec(JSON.parse(text), { ...config, eos_token: undefined, ...BARE });
  await expect(load()).rejects.toThrow(FormatError);
  await expect(load()).rejects.toThrow(/special_tokens_map\.json .* generation_config\.json .* eos_token_id/);
});

it('a user’s message may contain markers; the boundary between turns always separates turns', async () => {
  const { codec, plain } = await open(CASES.headers);
  const words = 'what is <|im_end|> in "<|im_start|>user"?';
  expect(codec.decode(codec.encodeChat(promptOf(words)))).toContain(words);
  const several = turnOf('user', 'a') + turnOf('assistant', 'b') + promptOf('c');
  expect(codec.encodeChat(several)).toEqual(
    plain.encode(
      '<|bot|><|head|>user<|/head|>\n\na<|eot|><|head|>assistant<|/head|>\n\nb<|eot|><|head|>user<|/head|>\n\nc<|eot|><|head|>assistant<|/head|>\n\n',
    ),
  );
});

it('refuses prompts that it cannot write, and says what to do', async () => {
  const failed = async (of: Partial<Case>, text: string): Promise<FormatError | SpecError> => {
    try {
      (await open(of)).codec.encodeChat(text);
    } catch (error) {
      return error as FormatError | SpecError;
    }
    throw new Error('it was not refused');
  };
  const missing = await failed({ template: null }, promptOf('hi'));
  expect(missing).toBeInstanceOf(FormatError);
  expect(missing.message).toMatch(
    /m has no chat template, neither in tokenizer_config\.json nor as chat_template\.jinja/,
  );
  expect(missing.remedy).toMatch(/--chat-template chatml, none or FILE/);
  const strange = await failed(CASES.headers, '<|im_start|> user ask bot');
  expect(strange).toBeInstanceOf(SpecError);
  expect(strange.message).toMatch(/is no conversation \("<\|im_start\|> user ask bot" …\)/);
  // With a template that writes the lab's notation itself, such a text is encoded as it is.
  const same = await open({ template: `${CHATML_TEMPLATE}{# the same #}` });
  expect(same.codec.encodeChat('<|im_start|> user ask bot')).toEqual(same.plain.encode('<|im_start|> user ask bot'));
  const renamed = JSON.parse(JSON.stringify(tokenizer).replaceAll('<|im_end|>', '<|fin|>'));
  const plain = await loadCodec(renamed, { ...config, ...BARE });
  const { codec } = new PromptWriter(
    { plain, template: null, tokenizerConfig: config, label: 'm' },
    { template: 'chatml' },
  );
  expect(() => codec.encodeChat(promptOf('hi'))).toThrow(/its tokenizer has no token <\|im_end\|>/);
});

it('a plain text begins with the post-processor’s token once, also if a template has already written it', async () => {
  const first = { SpecialToken: { id: '<s>', type_id: 0 } };
  const post_processor = {
    type: 'TemplateProcessing',
    single: [first, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: { '<s>': { id: '<s>', ids: [id('<s>')], tokens: ['<s>'] } },
  };
  const codec = await loadCodec({ ...tokenizer, post_processor }, { ...config, bos_token: '<s>' });
  expect(codec.encodePrompt('hi')).toEqual([id('<s>'), ...codec.encode('hi')]);
  expect(codec.encodePrompt('<s>hi')).toEqual([id('<s>'), ...codec.encode('hi')]);
  expect(givenIds(codec, 'hi')).toEqual(codec.encodePrompt('hi'));
  expect(givenIds(codec, promptOf('hi'))).toEqual(codec.encodeChat(promptOf('hi')));
});
