// Tests transcripts as training samples: only the model's own text is trained on, and an unseen name consists of known tokens.

import { expect, it } from 'vitest';
import { UNSEEN_NAMES } from '../../environments/lookup/data.ts';
import { lookupPretraining, pretrainSample } from '../../environments/lookup/model.ts';
import { loadCodec } from '../../text/codec.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { transcriptTokens } from '../step/sequences.ts';

const { sample, tokenizer, dataSeed } = lookupPretraining;
const files = tokenizer(dataSeed);
const codec = await loadCodec(JSON.parse(files['tokenizer.json']), JSON.parse(files['tokenizer_config.json']));

it('trains on the model’s own turns, and on no observation', () => {
  const [{ maxNew, maxTokens }] = resolveRuns(
    parseExperimentSpec({ preset: 'demo', overrides: { environment: 'lookup' } }),
  );
  let turns = 0;
  for (let i = 0; i < 200; i++) {
    const one = pretrainSample(i);
    expect(sample(i, dataSeed, 1)).toEqual(one);
    const { prompt, completion, mask } = transcriptTokens(codec, one);
    expect(codec.decode(prompt)).toBe(one.prompt);
    const trained = completion.filter((_, t) => !mask || mask[t]);
    const shown = completion.filter((_, t) => mask && !mask[t]);
    const sentences = [one.completion, ...one.further.map((turn) => turn.completion)];
    expect(codec.decode(trained)).toBe(sentences.map((text) => `${text}<|im_end|>`).join(''));
    expect(codec.decode(shown)).toBe(one.further.map((turn) => turn.prompt).join(''));
    // They fit into the default token limits of a run.
    for (const text of sentences) expect(codec.encode(text).length).toBeLessThan(maxNew);
    expect(completion.length).toBeLessThanOrEqual(maxTokens);
    turns += sentences.length;
  }
  expect(turns).toBeGreaterThan(400);
});

it('has a token for each half of a name in a question, also of unseen names', () => {
  for (const name of UNSEEN_NAMES) expect(codec.encode(` ${name}`), name).toHaveLength(2);
});
