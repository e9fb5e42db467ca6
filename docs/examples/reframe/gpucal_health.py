"""gpucal_health.py - a ReFrame test: are a node's devices there, and as fast as they were?

    reframe -c gpucal_health.py -r

The store is $GPUCAL_STORE, or that of gpucal's configuration.  The number of devices is kept as a
performance variable, so that ReFrame's log has it.
"""
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class GpucalHealth(rfm.RunOnlyRegressionTest):
    descr = "Devices of a node, and drift of their calibrations"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "gpucal"
    executable_opts = ["health", "--json", "|| true"]  # the status is in the JSON
    num_tasks_per_node = 1
    tags = {"health"}

    def said(self, key):
        return sn.extractsingle(rf'"{key}": "?([^"\n]*?)"?,?$', self.stdout, 1)

    @sanity_function
    def is_well(self):
        return sn.assert_in(self.said("status"), ("good", "warning"),
                            msg=f"{self.said('node')}: {self.said('reason')}")

    @performance_function("devices")
    def devices(self):
        return sn.extractsingle(r'"published": (\d+)', self.stdout, 1, int)
