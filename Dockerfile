# The service in a slim image: built from the pinned requirements, run by a user without rights on a root
# that may be read-only. `docker build -t fairdeal .`; compose.yaml shows how it is run.
# tests/packaging runs each step of this file in a clean folder.

FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements/runtime.txt requirements/
RUN python -m venv /opt/fairdeal \
 && /opt/fairdeal/bin/python -m pip install --no-cache-dir --disable-pip-version-check --quiet \
      --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY fairdeal fairdeal
COPY api api
COPY cli cli
RUN /opt/fairdeal/bin/python -m pip wheel --no-cache-dir --disable-pip-version-check --quiet \
      --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/fairdeal/bin/python -m pip install --no-cache-dir --disable-pip-version-check --quiet \
      --no-deps /wheels/fairdeal-*.whl

FROM python:3.13-slim
COPY --from=build /opt/fairdeal /opt/fairdeal
# A volume that is mounted here takes this folder's owner and mode.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/fairdeal
ENV PATH=/opt/fairdeal/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FAIRDEAL_DATA=/var/lib/fairdeal
WORKDIR /var/lib/fairdeal
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["fairdeal"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
