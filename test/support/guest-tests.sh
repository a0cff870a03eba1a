# What do these test files say? Runs in the guest: one after the other, each in namespaces of its own with a private /run
# and with lo up, told as one stream of TAP with a subtest for each.
#   guest-tests.sh FILE…

# Under emulation all takes ten times as long, so tap waits longer than its thirty seconds.
export TAP_TIMEOUT=300 FAIRLEAD_TEST_SANDBOX=root
# What tap loads into every Node process that it starts takes seconds, and a record of what was run as well.
unset NODE_OPTIONS NODE_V8_COVERAGE
count=0 failed=0
echo "TAP version 14"
for file; do
  count=$((count + 1)) name=$(basename "$file" .mjs).ts
  echo "# Subtest: $name"
  {
    unshare -nm sh -c 'mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys && ip link set lo up && exec "$@"' sh \
      node "$file"
    echo $? >/run/tests-status
  } | sed -u 's/^/    /'
  ok=ok
  [ "$(cat /run/tests-status)" = 0 ] || ok="not ok" failed=1
  echo "$ok $count - $name"
done
echo "1..$count"
exit $failed
