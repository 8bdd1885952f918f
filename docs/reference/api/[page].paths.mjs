// The pages of the packages' APIs, as TypeDoc made them for this build (scripts/tool/site-api.mjs).
import { apiPages } from '../../../scripts/tool/site-api.mjs';

export default { paths: apiPages };
