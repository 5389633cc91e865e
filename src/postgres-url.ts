/** The functions on PostgreSQL URLs that the command line needs before it opens a store. */
export { clusterUrlFault, hostsInTheClear, shownClusterUrl } from './storage/postgres/cluster-url.ts';
