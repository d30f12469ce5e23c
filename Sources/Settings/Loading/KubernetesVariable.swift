/// The variables that Kubernetes puts into every container for each service of the namespace.
///
/// A service called `trilateral`, or `trilateral-…`, gets names that begin as ours do.
/// - Source: Kubernetes, "Discovering services"; Docker's container links, whose form the last ones have.
enum KubernetesVariable {
    /// Whether a variable is one of `…_SERVICE_HOST`, `…_SERVICE_PORT`, `…_SERVICE_PORT_<NAME>`, `…_PORT`,
    /// `…_PORT_<N>_<PROTOCOL>`, and those with `_PROTO`, `_PORT`, `_ADDR` behind them.
    static func matches(_ name: String, _ value: String) -> Bool {
        if name.wholeMatch(of: /[A-Z0-9_]+_SERVICE_(HOST|PORT|PORT_[A-Z0-9_]+)/) != nil { return true }
        if name.wholeMatch(of: /[A-Z0-9_]+_PORT_[0-9]+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?/) != nil {
            return true
        }
        // Shorter ones could be a slip of the keyboard; this value could not.
        return name.hasSuffix("_PORT") && value.wholeMatch(of: /(tcp|udp|sctp):\/\/.+/) != nil
    }
}
