# The service: one image for all its commands (api, worker, migrate, …). Node runs the TypeScript as it stands, so
# nothing is built; the first stage only keeps npm's cache out of the second.
# A deployment pins it by digest: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are Node itself and the embedded PostgreSQL, for machines without containers.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title=supply-ordering \
  org.opencontainers.image.version=1.0.0 \
  org.opencontainers.image.licenses=MIT
# The default of HOST, 127.0.0.1, can be reached from within the container alone.
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
# The only folder of the application that the process may write to. Only the demo uses it.
RUN mkdir .data && chown node:node .data
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY docs docs
COPY tasks tasks
COPY db db
COPY src src
USER node
EXPOSE 3000
ENTRYPOINT ["node", "src/main.ts"]
CMD ["api"]
