#!/bin/bash
# other_device.sh COMMAND... - runs the test on devices that this machine does not have
#
# With fake_driver.so in LD_PRELOAD: a test that knows the processor on which it was written, its
# sub-groups, its number of cores or the name of the node, fails here on every machine.
export TEST_PLATFORM='AMD Accelerated Parallel Processing' TEST_VENDOR='Advanced Micro Devices, Inc.'
export TEST_NAME='gfx90a:sramecc+:xnack- (2 dies)' TEST_DRIVER='3635.0 (HSA1.1,LC)'
export TEST_UNITS=110 TEST_MULTIPLE=64 SLURMD_NODENAME=gpu-A017.site_2 POCL_DEVICES=basic
! locale -a | grep -qx 'de_DE.utf8' || export LC_ALL=de_DE.UTF-8
exec "$@"
