/**
 * The path of redis-server: the environment variable `REDIS_SERVER`, else the first on the PATH;
 * undefined where there is none.
 *
 * @throws Error if it cannot be run or is older than 7.0.
 */
export function findServerBinary(env?: NodeJS.ProcessEnv): string | undefined;

/**
 * Brings redis-server with apt-get (Debian, as root); no service is started or enabled.
 *
 * @throws Error that says what to do, if that cannot be done here.
 */
export function installServerBinary(): void;
