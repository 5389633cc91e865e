# An image of the server. docs/operations.md says how to run it.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts ./scripts
COPY src ./src
COPY tsconfig.json tsconfig.build.json ./
RUN npm run build
# Servers on PostgreSQL need pg, which is left to users elsewhere. Nothing else of development is kept.
RUN npm pkg set "dependencies.pg=^8.16.0" \
  && npm pkg delete devDependencies.pg \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22-bookworm-slim
ENV NODE_ENV=production \
    STATOR_HOST=0.0.0.0 \
    STATOR_DATA_DIR=/var/lib/stator
WORKDIR /opt/stator
COPY LICENSE ./
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
RUN install -d -o node -g node /var/lib/stator
USER node
VOLUME /var/lib/stator
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8000/_stator/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/stator/dist/cli/main.js"]
CMD ["start"]
