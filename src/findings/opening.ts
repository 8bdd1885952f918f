// A run in a published sheet: the link that opens it.
import * as z from 'zod/mini';

const words = z.string().check(z.maxLength(2000));
/** The part after the address's #; its pattern prevents a link to another site. */
const hash = z.string().check(z.regex(/^[12]\.[\w-]{1,16384}$/));

export const openingSchema = z.object({ group: words, name: words, hash });
export type Opening = z.infer<typeof openingSchema>;
