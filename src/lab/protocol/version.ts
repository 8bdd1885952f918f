// The version that records carry, so that a result says which lab made it.
import { version } from '../../../package.json';

export const APP_VERSION: string = version;
