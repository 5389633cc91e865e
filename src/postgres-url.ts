/** What the command line needs to know about PostgreSQL's URLs before a store is opened. */
export { clusterUrlFault, shownClusterUrl } from './storage/postgres/cluster-url.ts';
