// A run as a published sheet names it: the link that opens it.
import * as z from 'zod/mini';

const words = z.string().check(z.maxLength(2000));
/** The part behind the address's #; its pattern keeps a link from leading elsewhere. */
const hash = z.string().check(z.regex(/^[12]\.[\w-]{1,16384}$/));

export const openingSchema = z.object({ group: words, name: words, hash });
export type Opening = z.infer<typeof openingSchema>;
