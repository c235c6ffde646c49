# The samples that scripts/serve prints; the test suite runs them as they stand.
# Argument: host:port of a server in development mode.

samples() {
  local host=$1
  cat <<EOF
# Write a document with curl, and read it:
curl -X PATCH 'http://$host/v1/projects/demo/databases/(default)/documents/products/chair' \\
  -d '{"fields": {"name": {"stringValue": "Chair"}, "price": {"doubleValue": 49.5}}}'
curl 'http://$host/v1/projects/demo/databases/(default)/documents/products/chair'

# The same with Google's client (pip install google-cloud-firestore):
export FIRESTORE_EMULATOR_HOST=$host
python3 -c '
from google.cloud import firestore
products = firestore.Client(project="demo").collection("products")
products.document("table").set({"name": "Table", "price": 120})
for product in products.order_by("name").stream():
    print(product.id, product.to_dict())
'
EOF
}
