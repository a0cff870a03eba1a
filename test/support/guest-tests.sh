# What do these test files say? Runs in the guest: one after the other, each in namespaces of its own with a private /run
# and with lo up, told as one stream of TAP with a subtest for each.
#   guest-tests.sh FILE…
# FAIRLEAD_COVERED is the one whose Node processes are to leave word of what they ran, if any is: that takes long here.

# Under emulation all takes ten times as long, so tap waits longer than its thirty seconds.
export TAP_TIMEOUT=300 FAIRLEAD_TEST_SANDBOX=root
# What tap loads into every Node process that it starts takes seconds, and stops the one record of coverage there is.
unset NODE_OPTIONS
count=0 failed=0
echo "TAP version 14"
for file; do
  count=$((count + 1)) name=$(basename "$file" .mjs).ts
  echo "# Subtest: $name"
  options=--enable-source-maps
  {
    if [ "$name" != "${FAIRLEAD_COVERED:-}" ]; then
      unset NODE_V8_COVERAGE
      options=
    fi
    # shellcheck disable=SC2086
    unshare -nm sh -c 'mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys && ip link set lo up && exec "$@"' sh \
      node $options "$file"
    echo $? >/run/tests-status
  } | sed -u 's/^/    /'
  ok=ok
  [ "$(cat /run/tests-status)" = 0 ] || ok="not ok" failed=1
  echo "$ok $count - $name"
done
echo "1..$count"
exit $failed
