// Tests transcripts as training sequences: prompts and observations are context, and each turn is tokenized like an episode's.
import { expect, it } from 'vitest';
import { committedTokenizer } from '../../environments/code/testing/tokenizer.node.ts';
import { completionIds, loadCodec } from '../../text/codec.ts';
import { transcriptTokens } from './sequences.ts';

const { tokenizer, config } = committedTokenizer();
const codec = await loadCodec(tokenizer, config);
const shown = '\n<|im_start|>user\n= 19<|im_end|>\n<|im_start|>assistant\n';

it('trains on every turn of the model and on no observation', () => {
  const further = [
    { prompt: shown, completion: 'return 19' },
    { prompt: shown, completion: 'x' },
  ];
  const { prompt, completion, mask } = transcriptTokens(codec, { prompt: 'ask', completion: 'CALC(12+7)', further });
  expect(prompt).toEqual(codec.encode('ask'));
  const turns = ['CALC(12+7)', 'return 19', 'x'].map((text) => completionIds(codec, text));
  const between = codec.encode(shown);
  expect(completion).toEqual([...turns[0], ...between, ...turns[1], ...between, ...turns[2]]);
  const masked = completion.filter((_, t) => !mask![t]);
  expect(masked).toEqual([...between, ...between]);
  expect(completion.filter((_, t) => mask![t])).toEqual(turns.flat());
});

it('has no mask for one turn', () => {
  const sample = { prompt: 'ask', completion: 'return 19' };
  const plain = { prompt: codec.encode('ask'), completion: completionIds(codec, 'return 19') };
  expect(transcriptTokens(codec, sample)).toEqual(plain);
  expect(transcriptTokens(codec, { ...sample, further: [] })).toEqual(plain);
});
