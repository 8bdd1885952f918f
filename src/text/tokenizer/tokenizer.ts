// A tokenizer.json with the ids of the Rust library: `@huggingface/tokenizers` runs the models (BPE, Unigram, WordPiece) and the
// post-processors, and translates patterns; added tokens, normalizers, pre-tokenizers and decoders are those of this folder, because the
// library's differ from Rust's. What neither can do is refused by name.
import { Tokenizer } from '@huggingface/tokenizers';
import { AddedTokens, addedTokensOf } from './added.ts';
import { decoderOf } from './decode.ts';
import { isObject, type Json, listOfObjects, shown, unsupported } from './json.ts';
import { normalizerOf } from './normalize.ts';
import { splitterOf } from './split.ts';

/** Parsed tokenizer.json and tokenizer_config.json. Throws FormatError for what is not supported, and whatever the library throws. */
export function openTokenizer(tokenizerJson: object, tokenizerConfig: object): Tokenizer {
  const json = tokenizerJson as Json;
  const config = tokenizerConfig as Json;
  for (const part of ['model', 'normalizer', 'pre_tokenizer', 'decoder'])
    if (!(part in json)) throw new Error(`tokenizer.json has no "${part}"`);
  const added = addedTokensOf(json, config);
  const model = modelOf(json.model);
  const plain = { ...json, model, added_tokens: added, normalizer: null, pre_tokenizer: null, decoder: null };
  // The library would follow settings of the config that Rust does not have (remove_space, …); a model without a type needs its unk.
  const tokenizer = new Tokenizer(plain, { unk_token: isObject(model) ? model.unk_token : undefined });
  const ids = new Map(added.map(({ content, id }) => [content, id]));
  const idOf = (token: string) => ids.get(token) ?? tokenizer.model?.tokens_to_ids.get(token);
  checkPostProcessor(json.post_processor, idOf);
  // An added token is found before a text is split: the model does not know it.
  for (const content of ids.keys()) if (!hasWord(json.model, content)) tokenizer.model?.tokens_to_ids.delete(content);

  const normalize = normalizerOf(json.normalizer);
  const split = splitterOf(preTokenizerOf(json.pre_tokenizer, config));
  const raw = new AddedTokens(
    added.filter(({ normalized }) => !normalized),
    null,
  );
  const normal = new AddedTokens(
    added.filter(({ normalized }) => normalized),
    normalize,
  );
  const words = wordsOf(tokenizer, model as Json);
  const encodeText = (text: string | null): string[] | null =>
    text === null
      ? null
      : raw.sections({ text, isFirst: true }).flatMap((section) => {
          if ('content' in section) return section.content;
          const piece = { ...section, text: normalize ? normalize(section.text) : section.text };
          return normal.sections(piece).flatMap((inner) => {
            if ('content' in inner) return inner.content;
            return (split ? split(inner) : [inner]).flatMap(({ text: word }) => words(word));
          });
        });

  const decode = decoderOf(json.decoder, (token) => ids.has(token));
  const decodeIds = (ids: readonly number[]): string =>
    // An id of the embedding that the tokenizer does not have is no text.
    decode(ids.map((id) => tokenizer.id_to_token(id)).filter((token) => token !== undefined));
  return Object.defineProperties(tokenizer, {
    encode_text: { value: encodeText },
    decode: { value: decodeIds },
    token_to_id: { value: idOf },
  });
}

/** The model with its type, which older files leave out. Throws FormatError for settings that the library does not follow. */
function modelOf(model: unknown): unknown {
  if (!isObject(model)) return model;
  const { dropout, continuing_subword_prefix: prefix, merges, vocab } = model;
  const guessed = Array.isArray(merges) ? 'BPE' : Array.isArray(vocab) ? 'Unigram' : prefix ? 'WordPiece' : 'WordLevel';
  const type = model.type ?? guessed;
  if (type === 'BPE' && dropout) throw unsupported(`a BPE model with dropout ${shown(dropout)}`);
  if (type === 'BPE' && prefix) throw unsupported(`a BPE model with continuing_subword_prefix ${shown(prefix)}`);
  return { ...model, type };
}

function hasWord(model: unknown, token: string): boolean {
  const vocab = isObject(model) ? model.vocab : null;
  if (Array.isArray(vocab)) return vocab.some((entry) => Array.isArray(entry) && entry[0] === token);
  return isObject(vocab) && Object.hasOwn(vocab, token);
}

/** transformers gives a byte-level pre-tokenizer the `add_prefix_space` of tokenizer_config.json, where it says one. */
function preTokenizerOf(step: unknown, { add_prefix_space }: Json): unknown {
  if (!isObject(step) || step.type !== 'ByteLevel' || typeof add_prefix_space !== 'boolean') return step;
  return { ...step, add_prefix_space };
}

/** The tokens of one piece: unknown characters are joined within it alone, and Unigram's are written in bytes where it asks for it. */
function wordsOf({ model }: Tokenizer, { type, byte_fallback, unk_token }: Json): (word: string) => string[] {
  if (!model) return () => [];
  const { tokens_to_ids: ids, unk_token: unk } = model;
  const inBytes = (text: string): string[] | null => {
    if (byte_fallback !== true) return null;
    const bytes = Array.from(encoder.encode(text), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
    return bytes.every((token) => ids.has(token)) ? bytes : null;
  };
  // Without a token for what is unknown it is dropped before, and not after, tokens are merged.
  if (type === 'BPE' && unk_token == null) {
    const isKnown = (char: string) => ids.has(char) || inBytes(char) !== null;
    return (word) => model([ids.has(word) ? word : [...word].filter(isKnown).join('')]);
  }
  if (type !== 'Unigram') return (word) => model([word]);
  const fallback = (text: string): string[] => (ids.has(text) ? [text] : (inBytes(text) ?? [unk ?? text]));
  return (word) => {
    const made: string[] = [];
    let unknown = '';
    const end = () => {
      if (unknown !== '') made.push(...fallback(unknown));
      unknown = '';
    };
    for (const token of model.encode([word])) {
      if (ids.has(token) && token !== unk) {
        end();
        made.push(token);
      } else unknown += token;
    }
    end();
    return made;
  };
}

const encoder = new TextEncoder();

/** The library writes a post-processor's tokens by name: refused where the file gives them other ids. */
function checkPostProcessor(step: unknown, idOf: (token: string) => number | undefined): void {
  if (!isObject(step)) return;
  for (const inner of listOfObjects(step.processors)) checkPostProcessor(inner, idOf);
  const given: [unknown, unknown][] = [];
  if (step.type === 'TemplateProcessing')
    for (const item of listOfObjects(step.single)) {
      const name = isObject(item.SpecialToken) ? item.SpecialToken.id : undefined;
      const special = isObject(step.special_tokens) ? step.special_tokens[String(name)] : undefined;
      if (name !== undefined) given.push([name, isObject(special) ? special.ids : undefined]);
    }
  if (step.type === 'BertProcessing' || step.type === 'RobertaProcessing')
    for (const pair of [step.cls, step.sep]) if (Array.isArray(pair)) given.push([pair[0], [pair[1]]]);
  for (const [name, ids] of given) {
    const own = idOf(String(name));
    if (Array.isArray(ids) && ids.length === 1 && ids[0] === own) continue;
    throw unsupported(
      `its post_processor, which writes ${shown(name)} as the ids ${shown(ids)} (the vocabulary has ${shown(own)})`,
    );
  }
}
