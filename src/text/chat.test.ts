// Tests chat templates: where they are found and which variables they get; and the sampling defaults of a model.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { trainTokenizer } from './bpe-train.ts';
import { renderChat } from './chat.ts';
import { chatTemplateOf } from './chat-template.ts';
import { loadCodec } from './codec.ts';
import { endsOf, generationDefaults } from './generation.ts';

const HI = [{ role: 'user', content: 'hi' }] as const;

describe('a chat template', () => {
  it('is the file beside the tokenizer, else the one in the config, there the default one among several', () => {
    expect(chatTemplateOf({ chat_template: 'a' }, 'b')).toBe('b');
    expect(chatTemplateOf({ chat_template: 'a' }, null)).toBe('a');
    const several = [
      { name: 'tool_use', template: 't' },
      { name: 'default', template: 'd' },
    ];
    expect(chatTemplateOf({ chat_template: several }, null)).toBe('d');
    expect(chatTemplateOf({ chat_template: several.slice(0, 1) }, null)).toBeNull();
    expect(chatTemplateOf({}, null)).toBeNull();
    expect(chatTemplateOf(null, null)).toBeNull();
  });

  it('gets the messages, the special tokens, and a fixed date', () => {
    const template =
      "{{ bos_token }}{% for m in messages %}[{{ m.role }}|{{ m['content'] }}]{% endfor %}{% if add_generation_prompt %}>{% endif %}{{ pad_token }}";
    const config = { bos_token: { content: '<s>' }, eos_token: '</s>', pad_token: null };
    expect(renderChat(HI, template, config, 'm')).toBe('<s>[user|hi]>');
    expect(renderChat(HI, "{{ strftime_now('%d %b %Y') }}", config, 'm')).toBe('26 Jul 2024');
    expect(renderChat(HI, "{{ strftime_now('%Y-%m-%d') }}", config, 'm')).toBe('2024-07-26');
    // A special token that the tokenizer lacks is undefined, while a missing argument is None.
    const there = '{{ eos_token is defined }}{{ pad_token is defined }}{{ cls_token is defined }}{{ tools is none }}';
    expect(renderChat(HI, `${there}{{ documents is not none }}`, config, 'm')).toBe('TrueFalseFalseTrueFalse');
    expect(renderChat(HI, '{{ tools }}{{ messages|length }}', config, 'm', { tools: [1], messages: [] })).toBe('[1]1');
    expect(renderChat(HI, '\nx{{ eos_token }}', config, 'm')).toBe('\nx</s>');
  });

  it('that fails gives an error that says what to do', () => {
    expect(() => renderChat(HI, '{% if %}', {}, 'models/x')).toThrow(FormatError);
    expect(() => renderChat(HI, "{{ raise_exception('roles must alternate') }}", {}, 'x')).toThrow(
      /roles must alternate/,
    );
  });
});

describe('a prompt', () => {
  it('begins with the beginning-of-text token exactly once if the tokenizer’s config asks for it', async () => {
    const { tokenizer, config } = trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);
    const plain = await loadCodec(tokenizer, config);
    expect(plain.encodePrompt('f')).toEqual(plain.encode('f'));
    const marked = await loadCodec(tokenizer, { ...config, bos_token: '<|endoftext|>', add_bos_token: true });
    const bos = marked.encode('<|endoftext|>');
    expect(marked.encodePrompt('f')).toEqual([...bos, ...plain.encode('f')]);
    expect(marked.encodePrompt('<|endoftext|>f')).toEqual([...bos, ...plain.encode('f')]);
    expect(marked.encodePrompt('')).toEqual(bos);
    expect(marked.encode('f')).toEqual(plain.encode('f'));
  });
});

describe('generation_config.json', () => {
  it('makes sampling greedy without do_sample, and at temperature 1 with it by default', () => {
    expect(generationDefaults(null)).toEqual({ temperature: 0, maxNew: null, undone: [] });
    expect(generationDefaults({ temperature: 0.7 })).toMatchObject({ temperature: 0 });
    const qwen = { do_sample: true, temperature: 0.6, top_k: 20, top_p: 0.95, eos_token_id: [151645, 151643] };
    expect(generationDefaults({ ...qwen, max_new_tokens: 2048 })).toEqual({
      temperature: 0.6,
      maxNew: 2048,
      undone: ['top_k 20', 'top_p 0.95'],
    });
    expect(generationDefaults({ do_sample: true, top_p: 1, repetition_penalty: 1 })).toMatchObject({
      temperature: 1,
      undone: [],
    });
    // A repetition penalty changes greedy answers too, so it is reported without do_sample as well.
    expect(generationDefaults({ repetition_penalty: 1.1, top_k: 20 }).undone).toEqual(['repetition_penalty 1.1']);
  });

  it.each([
    [{ eos_token_id: [151645, 151643] }, { eos_token_id: 1 }, [151645, 151643]],
    [{ eos_token_id: null }, { eos_token_id: 2 }, [2]],
    [{ eos_token_id: [] }, { eos_token_id: [2, 3] }, [2, 3]],
    [null, null, []],
  ])('names the end tokens; config.json does where it does not: %j, %j', (generation, config, ends) => {
    expect(endsOf(generation, config)).toEqual(ends);
  });

  it('is refused if a value has the wrong type', () => {
    for (const wrong of [{ temperature: 'hot' }, { max_new_tokens: 0.5 }, 'text'])
      expect(() => generationDefaults(wrong), JSON.stringify(wrong)).toThrow(FormatError);
    expect(() => endsOf({ eos_token_id: [1, -2] }, null)).toThrow(FormatError);
    expect(() => endsOf(null, { eos_token_id: 1.5 })).toThrow(/config\.json: eos_token_id/);
  });
});
