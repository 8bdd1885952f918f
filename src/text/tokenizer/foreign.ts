// Runs any tokenizer.json that does not have the form of the lab's own tokenizers (form.ts). `@huggingface/tokenizers` runs Unigram, WordPiece
// and the post-processors, and translates patterns; BPE, added tokens, normalizers, pre-tokenizers and decoders are those of this folder,
// because the library's differ from those of the Rust library. Unsupported parts are refused with an error that names them. This is a
// separate file because the page needs it only for third-party models.
import { Tokenizer as Library } from '@huggingface/tokenizers';
import type { Added } from './added.ts';
import { Bpe, type BpeJson, type Model } from './bpe.ts';
import { byteTokens } from './bytes.ts';
import { bytesIn, decoderOf } from './decode.ts';
import { isObject, type Json, listOfObjects, shown, unsupported } from './json.ts';
import { normalizerOf } from './normalize.ts';
import type { Parts } from './parts.ts';
import { splitterOf } from './split.ts';

/** A placeholder model for the library when only its post-processor is used. */
const EMPTY = { type: 'BPE', vocab: {}, merges: [] };

/** Makes the parts of a tokenizer. Throws FormatError for unsupported parts, and the library's errors. */
export function foreignParts(json: Json, config: Json, added: readonly Added[]): Parts {
  const given = modelOf(json.model);
  const isBpe = isObject(given) && given.type === 'BPE';
  const steps = { normalizer: null, pre_tokenizer: null, decoder: null };
  const plain = { ...json, ...steps, model: isBpe ? EMPTY : given, added_tokens: added };
  // The config is not passed, since the library would follow settings in it that the Rust library does not have (remove_space, …), except
  // for unk_token, which a model without a type needs.
  const library = new Library(plain, { unk_token: isObject(given) ? given.unk_token : undefined });
  const model = isBpe ? new Bpe(given as unknown as BpeJson) : modelIn(library, given as Json, added);
  const ids = new Map(added.map(({ content, id }) => [content, id]));
  checkPostProcessor(json.post_processor, (token) => ids.get(token) ?? model.ids.get(token));
  const { post_processor } = library;
  return {
    model,
    normalize: normalizerOf(json.normalizer),
    split: splitterOf(preTokenizerOf(json.pre_tokenizer, config)),
    decode: decoderOf(json.decoder, (token) => ids.has(token)),
    bytes: bytesIn(json.decoder),
    frame: (tokens, special) => (post_processor ? post_processor(tokens, null, special).tokens : tokens),
  };
}

/** The model's JSON with its type added if it is missing, as in older files. Throws FormatError for unsupported settings. */
function modelOf(model: unknown): unknown {
  if (!isObject(model)) return model;
  const { dropout, continuing_subword_prefix: prefix, merges, vocab } = model;
  const guessed = Array.isArray(merges) ? 'BPE' : Array.isArray(vocab) ? 'Unigram' : prefix ? 'WordPiece' : 'WordLevel';
  const type = model.type ?? guessed;
  if (type === 'BPE' && dropout) throw unsupported(`a BPE model with dropout ${shown(dropout)}`);
  if (type === 'BPE' && prefix) throw unsupported(`a BPE model with continuing_subword_prefix ${shown(prefix)}`);
  return { ...model, type };
}

/** The model of the library, for types other than BPE. */
function modelIn({ model }: Library, json: Json, added: readonly Added[]): Model {
  if (!model) return { ids: new Map(), tokens: [], unknownId: undefined, words: () => [] };
  const { tokens_to_ids: ids, vocab: tokens, unk_token_id: unknownId } = model;
  // Added tokens are found before a text is split, so the model must not produce them, unless its own vocabulary has them.
  for (const { content } of added) if (!hasWord(json, content)) ids.delete(content);
  const words = json.type === 'Unigram' ? unigramWords(model, json) : (piece: string) => model([piece]);
  return { ids, tokens, unknownId, words };
}

function hasWord(model: unknown, token: string): boolean {
  const vocab = isObject(model) ? model.vocab : null;
  if (Array.isArray(vocab)) return vocab.some((entry) => Array.isArray(entry) && entry[0] === token);
  return isObject(vocab) && Object.hasOwn(vocab, token);
}

/** The `words` function of a Unigram model: adjacent unknown characters of a piece are joined, and become byte tokens with `byte_fallback`. */
function unigramWords(model: NonNullable<Library['model']>, { byte_fallback }: Json): Model['words'] {
  const { tokens_to_ids: ids, unk_token: unknown } = model;
  const inBytes = (text: string): string[] | null => {
    const bytes = byteTokens(text);
    return byte_fallback === true && bytes.every((token) => ids.has(token)) ? bytes : null;
  };
  const fallback = (text: string): string[] => (ids.has(text) ? [text] : (inBytes(text) ?? [unknown ?? text]));
  return (piece) => {
    const made: string[] = [];
    let rest = '';
    const end = () => {
      if (rest !== '') made.push(...fallback(rest));
      rest = '';
    };
    for (const token of model.encode([piece])) {
      if (ids.has(token) && token !== unknown) {
        end();
        made.push(token);
      } else rest += token;
    }
    end();
    return made;
  };
}

/** As transformers does, sets a byte-level pre-tokenizer's `add_prefix_space` to that of tokenizer_config.json if it has one. */
function preTokenizerOf(step: unknown, { add_prefix_space }: Json): unknown {
  if (!isObject(step) || step.type !== 'ByteLevel' || typeof add_prefix_space !== 'boolean') return step;
  return { ...step, add_prefix_space };
}

/** The library adds a post-processor's tokens by name, so a file that gives them other ids is refused. */
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
