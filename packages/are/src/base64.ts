// Base64 of bytes in a state.

/** Characters per call: the number of a call's arguments is limited. */
const CHUNK = 8192;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** Returns no bytes for text that is not base64. */
export function fromBase64(text: string): Uint8Array {
  let characters: string;
  try {
    characters = atob(text);
  } catch {
    return new Uint8Array();
  }
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
