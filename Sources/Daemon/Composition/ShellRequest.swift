/// What only the shell can do.
package enum ShellRequest: Sendable {
    case readConfiguration
    /// Build everything again, with the configuration that was read last.
    case rebuild
    /// Build everything again as it is, to open the databases again.
    case reopen
    case restart
    case stop
    case logLevel(String)
}
