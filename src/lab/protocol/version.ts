// The version stored in records, so that a result names the lab that made it.
import { version } from '../../../package.json';

export const APP_VERSION: string = version;
