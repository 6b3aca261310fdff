"""What nginx is told to stand before the web processes. Text out; starts nothing."""

from pathlib import Path

CONFIG = """
# Written at every start.
daemon off;
pid {data}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 20000; }}
http {{
  access_log off;
  types {{ text/html html; text/css css; text/javascript js; image/svg+xml svg; image/png png; application/json json; }}
  default_type application/octet-stream;
  client_body_temp_path {data}/nginx/body; proxy_temp_path {data}/nginx/proxy;
  fastcgi_temp_path {data}/nginx/fastcgi; uwsgi_temp_path {data}/nginx/uwsgi; scgi_temp_path {data}/nginx/scgi;
  client_max_body_size 1m;
  map $http_upgrade $connection_upgrade {{ default upgrade; "" ""; }}
  upstream web {{ least_conn; {servers} keepalive 32; }}
  server {{
    listen {listen};
    location /static/ {{ alias {static}/; gzip_static on; expires max; add_header Cache-Control "public, immutable"; }}
    location / {{
      proxy_pass http://web;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto {proto};
      proxy_connect_timeout 2s;
      # A silent socket is pinged every fourteen seconds: a line silent for a minute is dead.
      proxy_read_timeout 60s;
      # A request that never reached a process that is gone goes to another.
      proxy_next_upstream error timeout;
    }}
  }}
}}
"""


def config(listen: str, ports: list[int], data: Path, static: Path, proxies: int) -> str:
    """nginx before web processes on `ports` of this machine, listening on `listen` (ADDRESS:PORT).

    No count of failures: a process that is gone refuses at once and the next one is asked. Counted out, it would be
    let in again by one trial at a time, and a socket is a trial that does not end. How a request came, `proxies` before
    this one know better.
    """
    servers = " ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in ports)
    proto = "$http_x_forwarded_proto" if proxies else "$scheme"
    return CONFIG.format(listen=listen, servers=servers, data=data, static=static, proto=proto)
