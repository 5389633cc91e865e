# An image of the server: what the npm package holds, and pg. docs/operations.md says how to run it.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE README.md CHANGELOG.md tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY studio ./studio
COPY course ./course
COPY docs ./docs
COPY examples ./examples
RUN npm pack --no-audit --no-fund && tar -xzf stator-*.tgz
# Servers on PostgreSQL need pg, an optional dependency of the package. Other development packages go.
RUN npm pkg set "dependencies.pg=^8.16.0" \
  && npm pkg delete devDependencies.pg \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-bookworm-slim
ENV NODE_ENV=production \
    STATOR_HOST=0.0.0.0 \
    STATOR_PORT=8000 \
    STATOR_DATA_DIR=/var/lib/stator
WORKDIR /opt/stator
COPY --from=build /build/package ./
COPY --from=build /build/node_modules ./node_modules
RUN install -d -o node -g node -m 0700 /var/lib/stator
USER node
VOLUME /var/lib/stator
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.STATOR_PORT}/_stator/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/stator/dist/cli/main.js"]
CMD ["start"]
